// A processing element of a systolic array: a bf16 multiplier, an fp32 adder, and registers for the left operand, the
// upper operand and the sum. A product is added only if both operands are valid. In each cycle, the mode determines
// what happens:
//   hold    nothing changes
//   fill    the upper operand moves down and becomes stationary; the left operand and the sum are discarded
//   stream  the left operand moves right. Output stationary: the upper operand moves down, and the product of the two
//           is added to the sum. Weight stationary: the product of the left operand and the stationary one is added to
//           the sum from below
//   drain   the sum moves up and is replaced by the sum from below; operands are discarded
// PIPELINED delays the addition by one cycle (1: a register after the multiplier) or two (2: another register inside
// the multiplier), so the stream mode must last that many cycles longer.
`default_nettype none
module pe #(
  parameter STATIONARY = 0,  // 0: outputs are stationary; 1: weights or inputs are
  parameter PIPELINED = 0    // number of registers between the operands and the adder: 0, 1 or 2
) (
  input  wire        clk_i,
  input  wire        rst_ni,
  input  wire [1:0]  mode_i,  // 0: hold, 1: fill, 2: stream, 3: drain
  input  wire        left_valid_i,
  input  wire [15:0] left_i,
  input  wire        upper_valid_i,
  input  wire [15:0] upper_i,
  input  wire [31:0] below_i,
  output wire        left_valid_o,
  output wire [15:0] left_o,
  output wire        upper_valid_o,
  output wire [15:0] upper_o,
  output wire [31:0] sum_o
);
  localparam FILL = 2'd1, STREAM = 2'd2, DRAIN = 2'd3;
  reg        left_valid_q, upper_valid_q;
  reg [15:0] left_q, upper_q;
  reg [31:0] sum_q;
  assign {left_valid_o, left_o, upper_valid_o, upper_o, sum_o} = {left_valid_q, left_q, upper_valid_q, upper_q, sum_q};

  wire [15:0] factor = STATIONARY != 0 ? upper_q : upper_i;
  wire [31:0] addend = STATIONARY != 0 ? below_i : sum_q;
  wire multiplies = left_valid_i && (STATIONARY != 0 || upper_valid_i);
  wire [31:0] product, sum;
  bf16_multiplier #(.PIPELINED(PIPELINED > 1 ? 1 : 0)) i_multiplier (
    .clk_i(clk_i), .a_i(left_i), .b_i(factor), .product_o(product));
  wire        adds;
  wire [31:0] term;
  generate
    if (PIPELINED != 0) begin : g_product
      reg [PIPELINED-1:0] valid_q;
      reg [31:0]          product_q;
      wire [PIPELINED:0]  valid = {valid_q, multiplies};
      always @(posedge clk_i) begin
        valid_q <= rst_ni && mode_i == STREAM ? valid[PIPELINED-1:0] : {PIPELINED{1'b0}};
        product_q <= product;
      end
      assign {adds, term} = {valid[PIPELINED], product_q};
    end else begin : g_product
      assign {adds, term} = {multiplies, product};
    end
  endgenerate
  fp32_adder #(.PIPELINED(0)) i_adder (
    .clk_i(clk_i), .valid_i(1'b1), .next_i(1'b1), .short_i(1'b0), .int_i(1'b0), .a_i(addend), .b_i(term), .sum_o(sum));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      left_valid_q <= 1'b0;
      upper_valid_q <= 1'b0;
      sum_q <= 32'd0;
    end else if (mode_i == STREAM) begin
      left_valid_q <= left_valid_i;
      if (STATIONARY == 0) upper_valid_q <= upper_valid_i;
      sum_q <= adds ? sum : addend;
    end else if (mode_i != 2'd0) begin
      left_valid_q <= 1'b0;
      upper_valid_q <= mode_i == FILL && upper_valid_i;
      sum_q <= mode_i == DRAIN ? below_i : 32'd0;
    end
    if (mode_i == STREAM) left_q <= left_i;
    if (mode_i == FILL || (mode_i == STREAM && STATIONARY == 0)) upper_q <= upper_i;
  end
endmodule
`default_nettype wire

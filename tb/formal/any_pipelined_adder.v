// Stands in for the adder in proofs of the flow through its stages: two cycles after its operands, outputs their integer
// sum, with one bit flipped if short_i is set and another outside integer mode; 0 in other cycles.
`default_nettype none
module fp32_adder #(
  parameter GATES = 0,
  parameter PIPELINED = 1,
  parameter FRACTION_W = 23,
  parameter WIDTH = 9 + FRACTION_W
) (
  input  wire             clk_i,
  input  wire             valid_i,
  input  wire             next_i,
  input  wire             short_i,
  input  wire             int_i,
  input  wire [WIDTH-1:0] a_i,
  input  wire [WIDTH-1:0] b_i,
  output wire [WIDTH-1:0] sum_o
);
  reg [WIDTH-1:0] first_q, second_q;
  reg             valid_q;
  always @(posedge clk_i) begin
    if (valid_i) first_q <= (a_i + b_i) ^ {{(WIDTH - 2){1'b0}}, short_i, !int_i} << WIDTH - 3;
    if (next_i) second_q <= first_q;
    valid_q <= next_i;
  end
  assign sum_o = second_q & {WIDTH{valid_q}};
  wire unused = PIPELINED != 0;
endmodule
`default_nettype wire

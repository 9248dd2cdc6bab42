// Replaces the adder in proofs of how operands flow through its stages. Two cycles after its operands, it
// outputs their integer sum, in which short_i flips one bit and the absence of int_i flips another. In other
// cycles, the output is 0.
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

// Replaces the adder in proofs of how operands flow. It adds five-bit integers.
`default_nettype none
module fp32_adder #(
  parameter GATES = 0,
  parameter PIPELINED = 0
) (
  input  wire        clk_i,
  input  wire        valid_i,
  input  wire        next_i,
  input  wire        short_i,
  input  wire        int_i,
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output wire [31:0] sum_o
);
  wire [4:0] sum = a_i[4:0] + b_i[4:0];
  assign sum_o = {27'd0, sum};
  wire unused = &{1'b0, clk_i, valid_i, next_i, short_i, int_i, a_i[31:5], b_i[31:5], PIPELINED != 0};
endmodule
`default_nettype wire

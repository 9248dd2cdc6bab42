// Replaces the multiplier in proofs of how operands flow. It multiplies two-bit integers.
`default_nettype none
module bf16_multiplier #(
  parameter PIPELINED = 0  // has no effect here
) (
  input  wire        clk_i,
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [31:0] product_o
);
  assign product_o = {28'd0, {2'd0, a_i[1:0]} * {2'd0, b_i[1:0]}};
  wire unused = &{1'b0, clk_i, a_i[15:2], b_i[15:2]};
endmodule
`default_nettype wire

// Replaces reduction_lane in proofs that do not depend on how sums are computed. The sum is an exclusive or,
// which is valid two cycles after the operands.
`default_nettype none
module reduction_lane #(
  parameter GATES = 0
) (
  input  wire        clk_i,
  input  wire        valid_i,
  input  wire        next_i,
  input  wire [1:0]  type_i,
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output wire [31:0] sum_o
);
  reg [31:0] first_q, second_q;
  always @(posedge clk_i) begin
    first_q <= a_i ^ b_i;
    second_q <= first_q;
  end
  assign sum_o = second_q;
  wire unused = &{1'b0, valid_i, next_i, type_i};
endmodule
`default_nettype wire

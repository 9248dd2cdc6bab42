// One 32-bit lane of the reduction unit. It adds two fp32 numbers, two wrapping int32 numbers, or two pairs of bf16
// numbers. For bf16, the fp32 adder adds the upper elements, and a narrower adder adds the lower ones. The lane accepts
// operands in every cycle and outputs their sum two cycles later.
`default_nettype none
module reduction_lane #(
  parameter GATES = 0  // 1: gates the clocks of idle parts
) (
  input  wire        clk_i,
  input  wire        valid_i,
  input  wire        next_i,  // valid_i of the previous cycle
  input  wire [1:0]  type_i,  // element type; 0: fp32, 1: bf16, 2: int32; constant while a sum is being computed
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output wire [31:0] sum_o
);
  wire bf16 = type_i == 2'd1;
  wire [31:0] high;
  wire [15:0] low;
  fp32_adder #(.GATES(GATES)) i_high (
    .clk_i(clk_i), .valid_i(valid_i), .next_i(next_i), .short_i(bf16), .int_i(type_i == 2'd2),
    .a_i({a_i[31:16], a_i[15:0] & {16{!bf16}}}), .b_i({b_i[31:16], b_i[15:0] & {16{!bf16}}}), .sum_o(high));
  fp32_adder #(.FRACTION_W(7), .GATES(GATES)) i_low (
    .clk_i(clk_i), .valid_i(valid_i && bf16), .next_i(next_i && bf16), .short_i(1'b0), .int_i(1'b0),
    .a_i(a_i[15:0]), .b_i(b_i[15:0]), .sum_o(low));
  assign sum_o = {high[31:16], bf16 ? low : high[15:0]};
endmodule
`default_nettype wire

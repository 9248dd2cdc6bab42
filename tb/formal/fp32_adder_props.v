// Proves fp32_adder without registers, in two configurations. As a bfloat16 adder, its sums equal those of a
// different computation. If the exponents differ by at most NEAR, the reference computes an exact integer and
// rounds it. Otherwise, the sum is the larger operand, because the smaller one is less than a quarter of its
// last digit. Zeros, subnormals, infinities and NaNs follow IEEE 754. As a binary32 adder in integer mode, it
// adds modulo 2^32, whatever the value of short_i.
`default_nettype none
module fp32_adder_props (input wire clk_i);
  localparam NEAR = 10, WIDE = 8 + NEAR + 1;
  wire [15:0] a = $anyseq;
  wire [15:0] b = $anyseq;
  wire [15:0] sum, swapped;
  fp32_adder #(.PIPELINED(0), .FRACTION_W(7)) i_sum (
    .clk_i(clk_i), .valid_i(1'b1), .next_i(1'b1), .short_i(1'b0), .a_i(a), .b_i(b), .sum_o(sum));
  fp32_adder #(.PIPELINED(0), .FRACTION_W(7)) i_swapped (
    .clk_i(clk_i), .valid_i(1'b1), .next_i(1'b1), .short_i(1'b0), .a_i(b), .b_i(a), .sum_o(swapped));

  wire [31:0] int_a = $anyseq, int_b = $anyseq, int_sum;
  wire        short = $anyseq;
  fp32_adder #(.PIPELINED(0)) i_int (
    .clk_i(clk_i), .valid_i(1'b1), .next_i(1'b1), .short_i(short), .int_i(1'b1), .a_i(int_a), .b_i(int_b), .sum_o(int_sum));

  wire [7:0] a_exponent = a[14:7] == 8'd0 ? 8'd1 : a[14:7];
  wire [7:0] b_exponent = b[14:7] == 8'd0 ? 8'd1 : b[14:7];
  wire [7:0] a_digits = {a[14:7] != 8'd0, a[6:0]};
  wire [7:0] b_digits = {b[14:7] != 8'd0, b[6:0]};
  wire       a_over = a_exponent >= b_exponent;
  wire [7:0] apart = a_over ? a_exponent - b_exponent : b_exponent - a_exponent;
  wire [7:0] least = a_over ? b_exponent : a_exponent;
  wire [WIDE-1:0] a_wide = {{(WIDE-8){1'b0}}, a_digits} << (a_over ? apart[3:0] : 4'd0);
  wire [WIDE-1:0] b_wide = {{(WIDE-8){1'b0}}, b_digits} << (a_over ? 4'd0 : apart[3:0]);
  wire       nan = (&a[14:7] && |a[6:0]) || (&b[14:7] && |b[6:0]) || (&a[14:7] && &b[14:7] && a[15] != b[15]);
  wire       infinite = &a[14:7] || &b[14:7];

  // The exact sum as an integer, in units of the last digit of the operand with the smaller exponent.
  reg  [WIDE-1:0] exact, cut;
  reg             sign, up;
  reg  [4:0]      first;    // position of the most significant 1
  reg  [4:0]      drop;     // number of digits to round off
  reg  [8:0]      exponent;
  reg  [15:0]     wanted;
  integer i;
  always @* begin
    sign = a_wide >= b_wide ? a[15] : b[15];
    exact = a[15] == b[15] ? a_wide + b_wide : a_wide >= b_wide ? a_wide - b_wide : b_wide - a_wide;
    first = 5'd0;
    for (i = 0; i < WIDE; i = i + 1) if (exact[i]) first = i;
    drop = first > 5'd7 ? first - 5'd7 : 5'd0;
    cut = exact >> drop;
    up = 1'b0;
    for (i = 0; i < WIDE; i = i + 1)
      if (drop == i + 1) up = exact[i] && (cut[0] || (exact & ((20'd1 << i) - 20'd1)) != 0);
    cut = cut + up;
    exponent = {1'b0, least} + drop;
    if (cut[8]) begin
      cut = cut >> 1;
      exponent = exponent + 9'd1;
    end
    // Normalizes the result as far as the exponent permits; smaller results are subnormal.
    for (i = 0; i < 7; i = i + 1)
      if (!cut[7] && exponent > 9'd1) begin
        cut = cut << 1;
        exponent = exponent - 9'd1;
      end
    wanted = {sign, cut[7] ? exponent[7:0] : 8'd0, cut[6:0]};
    if (exact == 0) wanted = {a[15] && b[15], 15'd0};
    if (exponent >= 9'd255) wanted = {sign, 8'hff, 7'd0};
    if (apart > NEAR) wanted = a_over ? a : b;
    if (infinite) wanted = &a[14:7] ? {a[15], 8'hff, 7'd0} : {b[15], 8'hff, 7'd0};
    if (nan) wanted = 16'h7fc0;
  end
  always @(posedge clk_i) begin
    assert (sum == wanted);
    assert (sum == swapped);
    assert (int_sum == int_a + int_b);
    cover (apart == NEAR && up && !nan && !infinite && a[15] != b[15]);
    cover (&sum[14:7] && !infinite);
    cover (sum[14:7] == 8'd0 && sum[6:0] != 7'd0 && a[14:7] != 8'd0);
  end
endmodule
`default_nettype wire

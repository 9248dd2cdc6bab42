// IEEE 754 binary32 addition: round to nearest even, subnormals, infinities; every NaN result is the quiet
// NaN 7fc00000. A sum a cycle, two cycles after its operands: align | add and normalize | round. 0 in other cycles.
// Without the registers between the stages the sum is there in the cycle of its operands.
`default_nettype none
module fp32_adder #(
  parameter PIPELINED = 1  // 0: no registers, no clock, and what is valid does not matter
) (
  input  wire        clk_i,
  input  wire        valid_i,  // operands are there: the stages keep still without, to save power
  input  wire        next_i,   // those of the cycle before were
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output reg  [31:0] sum_o
);
  // Align: the larger magnitude is x, y shifts to its exponent. {y: significand, guard, round, sticky; x: significand;
  // exponent; sign of x; subtract; infinity or NaN; NaN; sign of a zero sum}
  function [63:0] align(input [31:0] a, input [31:0] b);
    reg swap, x_normal, y_normal, nan;
    reg [31:0] x, y;
    reg [7:0]  x_exponent, y_exponent, distance;
    reg [4:0]  shift;
    reg [50:0] wide;
    begin
      swap = b[30:0] > a[30:0];
      x = swap ? b : a;
      y = swap ? a : b;
      x_normal = |x[30:23];
      y_normal = |y[30:23];
      x_exponent = x_normal ? x[30:23] : 8'd1;
      y_exponent = y_normal ? y[30:23] : 8'd1;
      distance = x_exponent - y_exponent;
      shift = distance > 8'd27 ? 5'd27 : distance[4:0];
      wide = {y_normal, y[22:0], 27'd0} >> shift;
      nan = (&x[30:23] && |x[22:0]) || (&x[30:23] && &y[30:23] && (|y[22:0] || x[31] != y[31]));
      align = {wide[50:25], wide[24] || |wide[23:0], x_normal, x[22:0], x_exponent, x[31], x[31] ^ y[31],
               &x[30:23], nan, x[31] && y[31]};
    end
  endfunction
  reg        sign_q, subtract_q, special_q, nan_q, zero_sign_q;
  reg [7:0]  exponent_q;
  reg [23:0] x_q;
  reg [26:0] y_q;
  generate
    if (PIPELINED != 0) begin : g_align
      always @(posedge clk_i) begin
        if (valid_i) {y_q, x_q, exponent_q, sign_q, subtract_q, special_q, nan_q, zero_sign_q} <= align(a_i, b_i);
      end
    end else begin : g_align
      always @* {y_q, x_q, exponent_q, sign_q, subtract_q, special_q, nan_q, zero_sign_q} = align(a_i, b_i);
    end
  endgenerate

  // Add and normalize, no further than a subnormal's exponent. {sum is zero; exponent; significand, guard, round, sticky
  // without the leading bit, which the exponent tells}
  function [35:0] add(input subtract, input [23:0] x, input [26:0] y, input [7:0] x_exponent);
    reg [27:0] total;
    reg [14:0] top16;  // leading zeros, by halves: what is left of the top after 16, 8, 4 and 2 bits
    reg [6:0]  top8;
    reg [2:0]  top4;
    reg        top2;
    reg [4:0]  zeros, left;
    reg [7:0]  most;
    reg [26:0] normal;
    reg [8:0]  exponent;
    begin
      total = subtract ? {1'b0, x, 3'd0} - {1'b0, y} : {1'b0, x, 3'd0} + {1'b0, y};
      top16 = |total[26:11] ? total[26:12] : {total[10:0], 4'd0};
      top8 = |top16[14:7] ? top16[14:8] : top16[6:0];
      top4 = |top8[6:3] ? top8[6:4] : top8[2:0];
      top2 = |top4[2:1] ? top4[2] : top4[0];
      zeros = {~|total[26:11], ~|top16[14:7], ~|top8[6:3], ~|top4[2:1], ~top2};
      most = x_exponent - 8'd1;
      left = {3'd0, zeros} > most ? most[4:0] : zeros;
      normal = total[27] ? {total[27:2], total[1] || total[0]} : total[26:0] << left;
      exponent = total[27] ? {1'b0, x_exponent} + 9'd1 : {1'b0, x_exponent} - {4'd0, left};
      add = {total == 28'd0, normal[26] ? exponent : 9'd0, normal[25:0]};
    end
  endfunction
  reg        sign2_q, zero2_q, special2_q, nan2_q, zero_sign2_q;
  reg [8:0]  exponent2_q;
  reg [25:0] normal_q;
  generate
    if (PIPELINED != 0) begin : g_add
      always @(posedge clk_i) begin
        if (next_i) begin
          {zero2_q, exponent2_q, normal_q} <= add(subtract_q, x_q, y_q, exponent_q);
          sign2_q <= sign_q;
          zero_sign2_q <= zero_sign_q;
          special2_q <= special_q;
          nan2_q <= nan_q;
        end
      end
    end else begin : g_add
      always @* begin
        {zero2_q, exponent2_q, normal_q} = add(subtract_q, x_q, y_q, exponent_q);
        {sign2_q, zero_sign2_q, special2_q, nan2_q} = {sign_q, zero_sign_q, special_q, nan_q};
      end
    end
  endgenerate

  // Round: a carry out of the fraction goes into the exponent, as it must.
  wire       sum_valid;
  reg        up, overflow, sign;
  reg [31:0] rounded;
  generate
    if (PIPELINED != 0) begin : g_round
      reg valid_q;
      always @(posedge clk_i) valid_q <= next_i;
      assign sum_valid = valid_q;
    end else begin : g_round
      assign sum_valid = 1'b1;
      wire unused = &{1'b0, clk_i, valid_i, next_i};
    end
  endgenerate
  always @* begin
    {up, overflow, sign, rounded} = 35'd0;
    sum_o = 32'd0;
    if (sum_valid) begin
      up = normal_q[2] && (normal_q[3] || normal_q[1] || normal_q[0]);
      rounded = {exponent2_q, normal_q[25:3]} + {31'd0, up};
      overflow = special2_q || rounded[31:23] >= 9'd255;
      sign = zero2_q ? zero_sign2_q : sign2_q;
      sum_o = nan2_q ? 32'h7fc00000 : overflow ? {sign, 8'hff, 23'd0} : {sign, rounded[30:0]};
    end
  end
endmodule
`default_nettype wire

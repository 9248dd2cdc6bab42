// Multiplies two bf16 numbers. The product is an IEEE 754 binary32, which is output in the same cycle or, if PIPELINED,
// in the next. The product of two 8-bit significands has 16 bits, so the result is exact unless it overflows or is
// subnormal; a subnormal is rounded to nearest even. Subnormal and infinite factors are supported; every NaN result is
// the quiet NaN 7fc00000.
`default_nettype none
module bf16_multiplier #(
  parameter PIPELINED = 0  // 1: a register follows the multiplication of the significands
) (
  input  wire        clk_i,
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output reg  [31:0] product_o
);
  // The exponents of the factors; that of a subnormal is 1. The leading bit of a significand is 1 unless the factor is
  // subnormal.
  wire [7:0] a_exponent = |a_i[14:7] ? a_i[14:7] : 8'd1;
  wire [7:0] b_exponent = |b_i[14:7] ? b_i[14:7] : 8'd1;
  wire [15:0] significand_d = {8'd0, |a_i[14:7], a_i[6:0]} * {8'd0, |b_i[14:7], b_i[6:0]};
  wire sign_d = a_i[15] ^ b_i[15];
  wire a_special = &a_i[14:7];
  wire b_special = &b_i[14:7];
  wire nan_d = (a_special && |a_i[6:0]) || (b_special && |b_i[6:0]) ||
             ((a_special || b_special) && ~(|a_i[14:0] && |b_i[14:0]));

  // The product's exponent if the highest bit of its significand is 1.
  wire signed [10:0] exponents_d = $signed({3'd0, a_exponent}) + $signed({3'd0, b_exponent}) - 11'sd126;
  wire               infinite_d = a_special || b_special;
  wire [15:0]        significand;
  wire signed [10:0] exponents;
  wire               sign, nan, infinite;
  generate
    if (PIPELINED != 0) begin : g_product
      reg [29:0] product_q;
      always @(posedge clk_i) product_q <= {significand_d, exponents_d, sign_d, nan_d, infinite_d};
      assign {significand, exponents, sign, nan, infinite} = product_q;
    end else begin : g_product
      assign {significand, exponents, sign, nan, infinite} = {significand_d, exponents_d, sign_d, nan_d, infinite_d};
      wire unused = &{1'b0, clk_i};
    end
  endgenerate

  // Counts the leading zeros of the significand by binary search.
  wire [6:0] top8 = |significand[15:8] ? significand[15:9] : significand[7:1];
  wire [2:0] top4 = |top8[6:3] ? top8[6:4] : top8[2:0];
  wire       top2 = |top4[2:1] ? top4[2] : top4[0];
  wire [3:0] zeros = {~|significand[15:8], ~|top8[6:3], ~|top4[2:1], ~top2};
  wire [15:0] normal = significand << zeros;
  wire signed [10:0] exponent = exponents - $signed({7'd0, zeros});

  // If the product is subnormal, its significand is shifted right until the exponent is 1. A shift distance above 25 is
  // limited to 25, after which less than half a unit in the last place remains, so the result is 0.
  wire signed [10:0] below = 11'sd1 - exponent;
  wire [4:0] shift = below > 11'sd25 ? 5'd25 : below[4:0];
  wire [48:0] wide = {normal, 33'd0} >> shift;
  wire up = wide[24] && (wide[25] || |wide[23:0]);
  wire [31:0] subnormal = {8'd0, wide[48:25]} + {31'd0, up};

  always @* begin
    product_o = {sign, exponent[7:0], normal[14:0], 8'd0};
    if (significand == 16'd0) product_o = {sign, 31'd0};
    else if (exponent < 11'sd1) product_o = {sign, subnormal[30:0]};
    if (infinite || (exponent > 11'sd254 && significand != 16'd0)) product_o = {sign, 8'hff, 23'd0};
    if (nan) product_o = 32'h7fc00000;
  end
  wire unused = &{1'b0, subnormal[31]};
endmodule
`default_nettype wire

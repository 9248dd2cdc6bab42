// IEEE 754 binary32 addition: round to nearest even, subnormals, infinities; every NaN result is the quiet
// NaN 7fc00000. A sum a cycle, two cycles after its operands: align | add and normalize | round.
`default_nettype none
module fp32_adder (
  input  wire        clk_i,
  input  wire        valid_i,  // operands are there: the stages keep still without, to save power
  input  wire        next_i,   // those of the cycle before were
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output wire [31:0] sum_o
);
  // Align. The larger magnitude is x.
  wire swap = b_i[30:0] > a_i[30:0];
  wire [31:0] x = swap ? b_i : a_i;
  wire [31:0] y = swap ? a_i : b_i;
  wire x_normal = |x[30:23];
  wire y_normal = |y[30:23];
  wire [7:0] x_exponent = x_normal ? x[30:23] : 8'd1;
  wire [7:0] y_exponent = y_normal ? y[30:23] : 8'd1;
  wire [7:0] distance = x_exponent - y_exponent;
  wire [4:0] shift = distance > 8'd27 ? 5'd27 : distance[4:0];
  wire [50:0] wide = {y_normal, y[22:0], 27'd0} >> shift;
  wire nan = (&x[30:23] && |x[22:0]) || (&x[30:23] && &y[30:23] && (|y[22:0] || x[31] != y[31]));

  reg        sign_q, subtract_q, special_q, nan_q, zero_sign_q;
  reg [7:0]  exponent_q;
  reg [26:0] x_q, y_q;  // significand, guard, round, sticky
  always @(posedge clk_i) begin
    if (valid_i) begin
      sign_q <= x[31];
      subtract_q <= x[31] ^ y[31];
      special_q <= &x[30:23];
      nan_q <= nan;
      zero_sign_q <= x[31] && y[31];
      exponent_q <= x_exponent;
      x_q <= {x_normal, x[22:0], 3'd0};
      y_q <= {wide[50:25], wide[24] || |wide[23:0]};
    end
  end

  // Add and normalize, no further than a subnormal's exponent.
  wire [27:0] total = subtract_q ? {1'b0, x_q} - {1'b0, y_q} : {1'b0, x_q} + {1'b0, y_q};
  // Leading zeros, by halves: what is left of the top after 16, 8, 4 and 2 bits.
  wire [14:0] top16 = |total[26:11] ? total[26:12] : {total[10:0], 4'd0};
  wire [6:0] top8 = |top16[14:7] ? top16[14:8] : top16[6:0];
  wire [2:0] top4 = |top8[6:3] ? top8[6:4] : top8[2:0];
  wire top2 = |top4[2:1] ? top4[2] : top4[0];
  wire [4:0] zeros = {~|total[26:11], ~|top16[14:7], ~|top8[6:3], ~|top4[2:1], ~top2};
  wire [7:0] most = exponent_q - 8'd1;
  wire [4:0] left = {3'd0, zeros} > most ? most[4:0] : zeros;
  wire [26:0] normal = total[27] ? {total[27:2], total[1] || total[0]} : total[26:0] << left;
  wire [8:0] exponent = total[27] ? {1'b0, exponent_q} + 9'd1 : {1'b0, exponent_q} - {4'd0, left};

  reg        sign2_q, special2_q, nan2_q;
  reg [8:0]  exponent2_q;
  reg [25:0] normal_q;  // without the leading bit, which the exponent tells
  always @(posedge clk_i) begin
    if (next_i) begin
      sign2_q <= total == 28'd0 ? zero_sign_q : sign_q;
      special2_q <= special_q;
      nan2_q <= nan_q;
      exponent2_q <= normal[26] ? exponent : 9'd0;
      normal_q <= normal[25:0];
    end
  end

  // Round: a carry out of the fraction goes into the exponent, as it must.
  wire up = normal_q[2] && (normal_q[3] || normal_q[1] || normal_q[0]);
  wire [31:0] rounded = {exponent2_q, normal_q[25:3]} + {31'd0, up};
  wire overflow = special2_q || rounded[31:23] >= 9'd255;
  assign sum_o = nan2_q ? 32'h7fc00000 : overflow ? {sign2_q, 8'hff, 23'd0} : {sign2_q, rounded[30:0]};
endmodule
`default_nettype wire

// IEEE 754 binary32 addition: round to nearest even, subnormals, infinities; every NaN result is the quiet
// NaN 7fc00000. A sum a cycle, two cycles after its operands: align | add and normalize | round. 0 in other cycles.
// Without the registers between the stages the sum is there in the cycle of its operands. With fractions of 7 bits
// operands and sums are bfloat16.
`default_nettype none
module fp32_adder #(
  parameter PIPELINED = 1,    // 0: no registers, no clock, and what is valid does not matter
  parameter FRACTION_W = 23,  // 23: binary32; 7: bfloat16
  parameter WIDTH = 9 + FRACTION_W
) (
  input  wire             clk_i,
  input  wire             valid_i,  // operands are there: the stages keep still without, to save power
  input  wire             next_i,   // those of the cycle before were
  input  wire             short_i,  // binary32 is rounded to a bfloat16 in its upper half; constant while anything is under way
  input  wire [WIDTH-1:0] a_i,
  input  wire [WIDTH-1:0] b_i,
  output reg  [WIDTH-1:0] sum_o
);
  localparam SIGNIFICAND_W = FRACTION_W + 1;
  localparam EXACT_W = SIGNIFICAND_W + 3;  // with guard, round and sticky bit
  localparam SHIFTED_W = SIGNIFICAND_W + 31;
  localparam GROUPS = (EXACT_W + 3) / 4;    // of four bits, from the highest on
  localparam PADDING = 4 * GROUPS - EXACT_W;

  // Align: the larger magnitude is x, y shifts to its exponent. {y: significand, guard, round, sticky; x: significand;
  // exponent; of exponents below 32 one bit of 8 for its lower three bits and one of 4 for the next two; sign of x; subtract;
  // infinity or NaN; NaN; sign of a zero sum}. Both differences of the exponents are there when it is known which is larger.
  function [EXACT_W+SIGNIFICAND_W+24:0] align(input [WIDTH-1:0] a, input [WIDTH-1:0] b);
    reg swap, x_normal, y_normal, a_normal, b_normal, nan, far;
    reg [WIDTH-1:0] x, y;
    reg [7:0] a_exponent, b_exponent, a_over_b, b_over_a, distance, exponent;
    reg [SHIFTED_W-1:0] wide;
    reg [EXACT_W-1:0]   exact;
    begin
      swap = b[WIDTH-2:0] > a[WIDTH-2:0];
      a_normal = |a[FRACTION_W+:8];
      b_normal = |b[FRACTION_W+:8];
      a_exponent = {a[FRACTION_W+1+:7], a[FRACTION_W] || !a_normal};
      b_exponent = {b[FRACTION_W+1+:7], b[FRACTION_W] || !b_normal};
      a_over_b = a_exponent - b_exponent;
      b_over_a = b_exponent - a_exponent;
      x = swap ? b : a;
      y = swap ? a : b;
      x_normal = swap ? b_normal : a_normal;
      y_normal = swap ? a_normal : b_normal;
      distance = swap ? b_over_a : a_over_b;
      exponent = swap ? b_exponent : a_exponent;
      far = |distance[7:5];
      wide = {y_normal, y[FRACTION_W-1:0], 31'd0} >> distance[4:0];
      exact = {wide[SHIFTED_W-1-:EXACT_W-1] & {(EXACT_W-1){!far}},
               |wide[SHIFTED_W-EXACT_W:0] || (far && |wide[SHIFTED_W-1-:EXACT_W-1])};
      nan = (&x[FRACTION_W+:8] && |x[FRACTION_W-1:0]) ||
            (&x[FRACTION_W+:8] && &y[FRACTION_W+:8] && (|y[FRACTION_W-1:0] || x[WIDTH-1] != y[WIDTH-1]));
      align = {exact, x_normal, x[FRACTION_W-1:0], exponent, 8'd1 << exponent[2:0],
               {3'd0, !(|exponent[7:5])} << exponent[4:3], x[WIDTH-1], x[WIDTH-1] ^ y[WIDTH-1], &x[FRACTION_W+:8], nan,
               x[WIDTH-1] && y[WIDTH-1]};
    end
  endfunction
  reg                     sign_q, subtract_q, special_q, nan_q, zero_sign_q;
  reg [7:0]               exponent_q, unit_q;
  reg [3:0]               eights_q;
  reg [SIGNIFICAND_W-1:0] x_q;
  reg [EXACT_W-1:0]       y_q;
  generate
    if (PIPELINED != 0) begin : g_align
      always @(posedge clk_i) begin
        if (valid_i)
          {y_q, x_q, exponent_q, unit_q, eights_q, sign_q, subtract_q, special_q, nan_q, zero_sign_q} <= align(a_i, b_i);
      end
    end else begin : g_align
      always @* {y_q, x_q, exponent_q, unit_q, eights_q, sign_q, subtract_q, special_q, nan_q, zero_sign_q} = align(a_i, b_i);
    end
  endgenerate

  // Add and normalize, no further than a subnormal's exponent. How far is anticipated while the sum is made: digits x - y
  // are a one, ones that are taken off again, and then the highest bit of the difference or the bit above it, which the
  // next stage sees. {sum is zero; no further; exponent; exponent if once further; significand, guard, round, sticky}
  function [EXACT_W+18:0] add(input subtract, input [SIGNIFICAND_W-1:0] x, input [EXACT_W-1:0] y, input [7:0] x_exponent,
                              input [7:0] unit, input [3:0] eights);
    reg [EXACT_W:0]   total;
    reg [EXACT_W-1:0] wide_x, difference, borrows, leads, shifted;
    reg [4*GROUPS-1:0] ones;
    reg [3:0]  four;
    reg [4:0]  left;
    reg [31:0] limit;  // as far as the exponent goes
    reg [7:0]  most;
    reg        zero, earlier;
    integer    i;
    begin
      wide_x = {x, 3'd0};
      total = {1'b0, wide_x} + {1'b0, y};
      difference = wide_x - y;
      limit = {unit & {8{eights[3]}}, unit & {8{eights[2]}}, unit & {8{eights[1]}}, unit & {8{eights[0]}}};
      borrows = {~wide_x[EXACT_W-2:0] & y[EXACT_W-2:0], 1'b0};
      most = x_exponent - 8'd1;
      for (i = 0; i < EXACT_W; i = i + 1) leads[i] = limit[EXACT_W-i] || (wide_x[i] != y[i] && !borrows[i]);
      // The first group of four with a one, and the one's place in it; if there is none, the difference is zero.
      ones = {leads, {PADDING{1'b0}}};
      shifted = {EXACT_W{1'b0}};
      left = 5'd0;
      earlier = 1'b0;
      for (i = 0; i < GROUPS; i = i + 1) begin
        four = ones[4*(GROUPS-1-i)+:4] & {4{!earlier}};
        earlier = earlier || |four;
        shifted = shifted | ((difference << 4 * i) & {EXACT_W{|four}});
        left = left | ({i[2:0], !(four[3] || four[2]), !four[3] && (four[2] || !four[1])} & {5{|four}});
      end
      shifted = shifted << left[1:0];
      zero = subtract ? wide_x == y : {x, y} == {(SIGNIFICAND_W+EXACT_W){1'b0}};
      if (subtract)
        add = {zero, zero || {3'd0, left} == most, {1'b0, x_exponent - {3'd0, left}}, most - {3'd0, left}, shifted};
      else if (total[EXACT_W])
        add = {zero, 1'b1, {1'b0, x_exponent} + 9'd1, most, total[EXACT_W:2], total[1] || total[0]};
      else
        add = {zero, 1'b1, {1'b0, x_exponent}, most, total[EXACT_W-1:0]};
    end
  endfunction
  reg               sign2_q, zero2_q, special2_q, nan2_q, zero_sign2_q, last_q;
  reg [8:0]         exponent2_q;
  reg [7:0]         lower_q;
  reg [EXACT_W-1:0] normal_q;
  generate
    if (PIPELINED != 0) begin : g_add
      always @(posedge clk_i) begin
        if (next_i) begin
          {zero2_q, last_q, exponent2_q, lower_q, normal_q} <= add(subtract_q, x_q, y_q, exponent_q, unit_q, eights_q);
          sign2_q <= sign_q;
          zero_sign2_q <= zero_sign_q;
          special2_q <= special_q;
          nan2_q <= nan_q;
        end
      end
    end else begin : g_add
      always @* begin
        {zero2_q, last_q, exponent2_q, lower_q, normal_q} = add(subtract_q, x_q, y_q, exponent_q, unit_q, eights_q);
        {sign2_q, zero_sign2_q, special2_q, nan2_q} = {sign_q, zero_sign_q, special_q, nan_q};
      end
    end
  endgenerate

  // Round, without the leading bit, which the exponent tells: a carry out of the fraction goes into the exponent, as it must.
  // What is rounded up is there when it is known whether to; of a bfloat16 the carry goes through the lower half.
  localparam LOW = FRACTION_W - 7;
  wire             sum_valid;
  wire             short = FRACTION_W > 7 && short_i;
  reg              again, up, overflow, sign;
  reg  [EXACT_W-2:0] exact;
  reg  [WIDTH-1:0] down;
  reg  [WIDTH-2:0] through, above;
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
    again = !last_q && !normal_q[EXACT_W-1];
    exact = again ? {normal_q[EXACT_W-3:0], 1'b0} : normal_q[EXACT_W-2:0];
    // Where nothing leads and it goes no further, the sum is subnormal.
    down = {normal_q[EXACT_W-1] ? exponent2_q : {1'b0, lower_q & {8{!last_q}}}, exact[EXACT_W-2:3]};
    up = exact[2] && (exact[3] || exact[1] || exact[0]);
    if (short) begin
      down = down >> LOW << LOW;
      up = exact[LOW+2] && (exact[LOW+3] || |exact[LOW+1:0]);
    end
    through = short ? down[WIDTH-2:0] | ~({(WIDTH-1){1'b1}} << LOW) : down[WIDTH-2:0];
    above = through + {{(WIDTH-2){1'b0}}, 1'b1};
    overflow = special2_q || exponent2_q[8] || (normal_q[EXACT_W-1] && &exponent2_q[7:0]);  // rounding up the largest number makes it infinity
    sign = zero2_q ? zero_sign2_q : sign2_q;
    sum_o = {sign, up ? above : down[WIDTH-2:0]};
    if (overflow) sum_o = {sign, 8'hff, {FRACTION_W{1'b0}}};
    if (nan2_q) sum_o = {10'h1ff, {(FRACTION_W-1){1'b0}}};
    if (!sum_valid) sum_o = {WIDTH{1'b0}};
  end
endmodule
`default_nettype wire

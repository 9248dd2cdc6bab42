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

  // The number of zeros before the first one, 31 if there is none: of halves, whether they hold a one and where.
  function [4:0] zeros_of(input [31:0] bits);
    reg [15:0] any2, at2;
    reg [7:0]  any4;
    reg [15:0] at4;
    reg [3:0]  any8;
    reg [11:0] at8;
    reg [1:0]  any16;
    reg [7:0]  at16;
    integer    i;
    begin
      for (i = 0; i < 16; i = i + 1) {any2[i], at2[i]} = {|bits[2*i+:2], !bits[2*i+1]};
      for (i = 0; i < 8; i = i + 1)
        {any4[i], at4[2*i+:2]} = {|any2[2*i+:2], !any2[2*i+1], any2[2*i+1] ? at2[2*i+1] : at2[2*i]};
      for (i = 0; i < 4; i = i + 1)
        {any8[i], at8[3*i+:3]} = {|any4[2*i+:2], !any4[2*i+1], any4[2*i+1] ? at4[4*i+2+:2] : at4[4*i+:2]};
      for (i = 0; i < 2; i = i + 1)
        {any16[i], at16[4*i+:4]} = {|any8[2*i+:2], !any8[2*i+1], any8[2*i+1] ? at8[6*i+3+:3] : at8[6*i+:3]};
      zeros_of = {!any16[1], any16[1] ? at16[7:4] : at16[3:0] | {4{!any16[0]}}};
    end
  endfunction

  // Add and normalize, no further than a subnormal's exponent. How far is anticipated while the sum is made: digits x - y
  // are a one, ones that are taken off again, and then the highest bit of the difference or the bit above it. {sum is
  // zero; exponent; significand, guard, round, sticky without the leading bit, which the exponent tells}
  function [EXACT_W+8:0] add(input subtract, input [SIGNIFICAND_W-1:0] x, input [EXACT_W-1:0] y, input [7:0] x_exponent,
                             input [7:0] unit, input [3:0] eights);
    reg [EXACT_W:0]   total;
    reg [EXACT_W-1:0] wide_x, difference, borrows, leads, shifted;
    reg [4:0]  left;
    reg [31:0] limit;  // as far as the exponent goes
    reg [7:0]  most;
    reg        zero, again;
    integer    i;
    begin
      wide_x = {x, 3'd0};
      total = {1'b0, wide_x} + {1'b0, y};
      difference = wide_x - y;
      limit = {unit & {8{eights[3]}}, unit & {8{eights[2]}}, unit & {8{eights[1]}}, unit & {8{eights[0]}}};
      borrows = {~wide_x[EXACT_W-2:0] & y[EXACT_W-2:0], 1'b0};
      most = x_exponent - 8'd1;
      for (i = 0; i < EXACT_W; i = i + 1) begin
        leads[i] = limit[EXACT_W-i] || (wide_x[i] != y[i] && !borrows[i]);
      end
      left = zeros_of({leads, {(32-EXACT_W){1'b0}}});
      shifted = difference << left;
      again = {3'd0, left} != most && !shifted[EXACT_W-1];
      zero = subtract ? wide_x == y : {x, y} == {(SIGNIFICAND_W+EXACT_W){1'b0}};
      if (subtract)
        add = {zero, zero || (!again && !shifted[EXACT_W-1]) ? 9'd0 :
                     {1'b0, again ? most - {3'd0, left} : x_exponent - {3'd0, left}},
               again ? {shifted[EXACT_W-3:0], 1'b0} : shifted[EXACT_W-2:0]};
      else if (total[EXACT_W])
        add = {zero, {1'b0, x_exponent} + 9'd1, total[EXACT_W-1:2], total[1] || total[0]};
      else
        add = {zero, total[EXACT_W-1] ? {1'b0, x_exponent} : 9'd0, total[EXACT_W-2:0]};
    end
  endfunction
  reg               sign2_q, zero2_q, special2_q, nan2_q, zero_sign2_q;
  reg [8:0]         exponent2_q;
  reg [EXACT_W-2:0] normal_q;
  generate
    if (PIPELINED != 0) begin : g_add
      always @(posedge clk_i) begin
        if (next_i) begin
          {zero2_q, exponent2_q, normal_q} <= add(subtract_q, x_q, y_q, exponent_q, unit_q, eights_q);
          sign2_q <= sign_q;
          zero_sign2_q <= zero_sign_q;
          special2_q <= special_q;
          nan2_q <= nan_q;
        end
      end
    end else begin : g_add
      always @* begin
        {zero2_q, exponent2_q, normal_q} = add(subtract_q, x_q, y_q, exponent_q, unit_q, eights_q);
        {sign2_q, zero_sign2_q, special2_q, nan2_q} = {sign_q, zero_sign_q, special_q, nan_q};
      end
    end
  endgenerate

  // Round: a carry out of the fraction goes into the exponent, as it must. What is rounded up is there when it is known
  // whether to; of a bfloat16 the carry goes through the lower half.
  localparam LOW = FRACTION_W - 7;
  wire             sum_valid;
  wire             short = FRACTION_W > 7 && short_i;
  reg              up, largest, overflow, sign;
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
    down = {exponent2_q, normal_q[EXACT_W-2:3]};
    up = normal_q[2] && (normal_q[3] || normal_q[1] || normal_q[0]);
    if (short) begin
      down = down >> LOW << LOW;
      up = normal_q[LOW+2] && (normal_q[LOW+3] || |normal_q[LOW+1:0]);
    end
    through = short ? down[WIDTH-2:0] | ~({(WIDTH-1){1'b1}} << LOW) : down[WIDTH-2:0];
    above = through + {{(WIDTH-2){1'b0}}, 1'b1};
    largest = &through[WIDTH-2-:7] && &through[FRACTION_W-1:0];
    overflow = special2_q || down[WIDTH-1] || &down[WIDTH-2-:8] || (up && largest);
    sign = zero2_q ? zero_sign2_q : sign2_q;
    sum_o = {sign, up ? above : down[WIDTH-2:0]};
    if (overflow) sum_o = {sign, 8'hff, {FRACTION_W{1'b0}}};
    if (nan2_q) sum_o = {10'h1ff, {(FRACTION_W-1){1'b0}}};
    if (!sum_valid) sum_o = {WIDTH{1'b0}};
  end
endmodule
`default_nettype wire

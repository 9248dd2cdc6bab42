// Adds IEEE 754 binary32 numbers, rounding to nearest even. Subnormals and infinities are supported; every NaN result
// is the quiet NaN 7fc00000. The adder accepts operands in every cycle and outputs their sum two cycles later (align |
// add and normalise | round); in cycles without a sum, sum_o is 0. Unless PIPELINED, the sum appears in the same cycle
// as its operands. With a fraction of 7 bits, operands and sums are bfloat16. Integers use the same datapath: the
// significand carries their lower bits and the exponent their upper bits.
`default_nettype none
module fp32_adder #(
  parameter PIPELINED = 1,    // 0: combinational; clk_i and valid_i are ignored
  parameter FRACTION_W = 23,  // 23: binary32; 7: bfloat16
  parameter GATES = 0,        // 1: gates the clock of each stage that has no operands
  parameter WIDTH = 9 + FRACTION_W
) (
  input  wire             clk_i,
  input  wire             valid_i,  // operands are valid; otherwise the first stage holds its contents
  input  wire             next_i,   // valid_i of the previous cycle
  // Rounds the binary32 sum to bfloat16, in the upper half of sum_o. Must not change while a sum is being computed.
  input  wire             short_i,
  input  wire             int_i,    // adds wrapping integers instead; must not change while a sum is being computed
  input  wire [WIDTH-1:0] a_i,
  input  wire [WIDTH-1:0] b_i,
  output reg  [WIDTH-1:0] sum_o
);
  localparam SIGNIFICAND_W = FRACTION_W + 1;
  localparam EXACT_W = SIGNIFICAND_W + 3;  // a significand with guard, round and sticky bits
  localparam SHIFTED_W = SIGNIFICAND_W + 31;
  localparam GROUPS = (EXACT_W + 3) / 4;    // groups of four bits; group 0 is the highest
  localparam PADDING = 4 * GROUPS - EXACT_W;

  // Aligns the operands: x is the one with the larger magnitude, and y is shifted right to the exponent of x. Returns
  // {significand of y with guard, round and sticky bits; significand of x; exponent; exponent[2:0] one-hot (the highest
  // bit for 0); exponent[4:3] one-hot, or 0 from exponent 32 on; sign of x; subtract; infinity or NaN; NaN; sign of a
  // zero sum}. To shorten the path, both exponent differences are computed before the larger operand is known.
  // Integers: y carries the lower bits of b, x the lower bits of a, and the exponent the sum of the upper bits.
  /* verilator lint_off BLKSEQ */  // the variables of a function are not registers
  function [EXACT_W+SIGNIFICAND_W+24:0] align(input [WIDTH-1:0] a, input [WIDTH-1:0] b, input whole);
    reg swap, keep, x_leads, y_leads, a_normal, b_normal, nan, far;
    reg [WIDTH-1:0] x, y;
    reg [7:0] a_exponent, b_exponent, a_over_b, b_over_a, distance, exponent;
    reg [SHIFTED_W-1:0] wide;
    reg [EXACT_W-1:0]   exact;
    begin
      swap = b[WIDTH-2:0] > a[WIDTH-2:0] && !whole;
      keep = b[WIDTH-2:0] <= a[WIDTH-2:0] && !whole;
      a_normal = |a[FRACTION_W+:8];
      b_normal = |b[FRACTION_W+:8];
      a_exponent = {a[FRACTION_W+1+:7], a[FRACTION_W] || !a_normal};
      b_exponent = {b[FRACTION_W+1+:7], b[FRACTION_W] || !b_normal};
      a_over_b = a_exponent - b_exponent;
      b_over_a = b_exponent - a_exponent;
      x = swap ? b : a;
      y = swap ? a : b;
      x_leads = whole ? a[FRACTION_W] : swap ? b_normal : a_normal;
      y_leads = whole ? b[FRACTION_W] : swap ? a_normal : b_normal;
      distance = (b_over_a & {8{swap}}) | (a_over_b & {8{keep}});
      exponent = (b_exponent & {8{swap}}) | (a_exponent & {8{keep}}) | ((a[WIDTH-1-:8] + b[WIDTH-1-:8]) & {8{whole}});
      far = |distance[7:5];
      wide = {y_leads, y[FRACTION_W-1:0], 31'd0} >> distance[4:0];
      exact = {wide[SHIFTED_W-1-:EXACT_W-1] & {(EXACT_W-1){!far}},
               |wide[SHIFTED_W-EXACT_W:0] || (far && |wide[SHIFTED_W-1-:EXACT_W-1])};
      nan = (&x[FRACTION_W+:8] && |x[FRACTION_W-1:0]) ||
            (&x[FRACTION_W+:8] && &y[FRACTION_W+:8] && (|y[FRACTION_W-1:0] || x[WIDTH-1] != y[WIDTH-1]));
      align = {exact, x_leads, x[FRACTION_W-1:0], exponent, 8'd128 >> exponent[2:0],
               {3'd0, !(|exponent[7:5])} << exponent[4:3], x[WIDTH-1], (x[WIDTH-1] ^ y[WIDTH-1]) && !whole, &x[FRACTION_W+:8], nan,
               x[WIDTH-1] && y[WIDTH-1]};
    end
  endfunction
  wire                    whole = FRACTION_W > 7 && int_i;
  wire                     sign_q, subtract_q, special_q, nan_q, zero_sign_q;
  wire [7:0]               exponent_q, unit_q;
  wire [3:0]               eights_q;
  wire [SIGNIFICAND_W-1:0] x_q;
  wire [EXACT_W-1:0]       y_q;
  reg  [EXACT_W+SIGNIFICAND_W+24:0] aligned_q;
  assign {y_q, x_q, exponent_q, unit_q, eights_q, sign_q, subtract_q, special_q, nan_q, zero_sign_q} = aligned_q;
  generate
    if (PIPELINED != 0) begin : g_align
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(valid_i), .clk_o(clk));
      always @(posedge clk) begin
        if (valid_i || GATES != 0)
          aligned_q <= align(a_i, b_i, whole);
      end
    end else begin : g_align
      always @* aligned_q = align(a_i, b_i, whole);
    end
  endgenerate

  // Adds or subtracts the significands and normalises the result, but not below the exponent of a subnormal. The left
  // shift of a difference is predicted while the difference is computed: from the first nonzero digit of x - y that the
  // next digit does not cancel. The prediction may be one position short, which the rounding stage corrects. To shorten
  // the path, all groups of four bits find their first 1 in parallel, and the exponent for each group is computed
  // before the group of the leading 1 is known. Returns {sum is zero; no further shift allowed; exponent; significand
  // with guard, round and sticky bits}.
  localparam GROUP_W = 6;  // width of the exponent without its lowest two bits
  function [EXACT_W+10:0] add(input subtract, input [SIGNIFICAND_W-1:0] x, input [EXACT_W-1:0] y, input [7:0] x_exponent,
                              input [7:0] unit, input [3:0] eights, input whole_sum);
    reg [EXACT_W:0]   total;
    reg [EXACT_W-1:0] wide_x, difference, borrows, leads, shifted;
    reg [4*GROUPS-1:0] ones, limits;
    reg [2*GROUPS-1:0] place;    // position of the first 1 in each group
    reg [GROUPS-1:0]   any, earlier, first, ends;
    reg [31:0] limit;  // one-hot: the last position to which the exponent allows a shift
    reg [3:0]  four, limit_of;
    reg [1:0]  left;   // position of the leading 1 within its group
    reg [GROUP_W-1:0] upper, borrowed;
    reg [8:0]  exponent;
    reg        zero, unused;
    integer    i;
    begin
      wide_x = {x, 3'd0};
      total = {1'b0, wide_x} + {1'b0, y};
      difference = wide_x - y;
      zero = subtract ? wide_x == y : {x, y} == {(SIGNIFICAND_W+EXACT_W){1'b0}};
      limit = {unit & {8{eights[0]}}, unit & {8{eights[1]}}, unit & {8{eights[2]}}, unit & {8{eights[3]}}};
      borrows = {~wide_x[EXACT_W-2:0] & y[EXACT_W-2:0], 1'b0};
      limits = {limit[31-EXACT_W+:EXACT_W], {PADDING{1'b0}}};
      leads = limit[31-EXACT_W+:EXACT_W] | ((wide_x ^ y) & ~borrows);
      unused = &{1'b0, limit};
      ones = {leads, {PADDING{1'b0}}};
      for (i = 0; i < GROUPS; i = i + 1) begin
        four = ones[4*(GROUPS-1-i)+:4];
        limit_of = limits[4*(GROUPS-1-i)+:4];
        any[i] = |four;
        place[2*i+:2] = {!(four[3] || four[2]), !four[3] && (four[2] || !four[1])};
        ends[i] = limit_of[3] || (!four[3] && (limit_of[2] || (!four[2] && (limit_of[1] || (!four[1] && limit_of[0])))));
      end
      earlier = any << 1;
      for (i = 1; i < GROUPS; i = i * 2) earlier = earlier | earlier << i;
      first = any & ~earlier & {GROUPS{subtract}};
      // The sum of two significands needs no left shift, and `first` is then zero.
      if (subtract) shifted = {EXACT_W{1'b0}};
      else if (total[EXACT_W] && !whole_sum) shifted = {total[EXACT_W:2], total[1] || total[0]};
      else shifted = total[EXACT_W-1:0];
      left = 2'd0;
      upper = {GROUP_W{1'b0}};
      borrowed = {GROUP_W{1'b0}};
      for (i = 0; i < GROUPS; i = i + 1) begin
        shifted = shifted | ((difference << 4 * i) & {EXACT_W{first[i]}});
        left = left | (place[2*i+:2] & {2{first[i]}});
        upper = upper | ((x_exponent[7:2] - i[GROUP_W-1:0]) & {GROUP_W{first[i]}});
        borrowed = borrowed | ((x_exponent[7:2] - i[GROUP_W-1:0] - 1'b1) & {GROUP_W{first[i]}});
      end
      shifted = left[1] ? {shifted[EXACT_W-3:0], 2'd0} : shifted;
      shifted = left[0] ? {shifted[EXACT_W-2:0], 1'b0} : shifted;
      exponent = subtract ? {1'b0, left > x_exponent[1:0] ? borrowed : upper, x_exponent[1:0] - left} :
                            {1'b0, x_exponent} + {8'd0, total[EXACT_W]};
      add = {zero, zero || !subtract || |(ends & first), exponent, shifted};
    end
  endfunction
  /* verilator lint_on BLKSEQ */
  reg                sign2_q, special2_q, nan2_q, zero_sign2_q;
  wire               zero2_q, last_q;
  wire [8:0]         exponent2_q;
  wire [EXACT_W-1:0] normal_q;
  reg  [EXACT_W+10:0] added_q;
  assign {zero2_q, last_q, exponent2_q, normal_q} = added_q;
  generate
    if (PIPELINED != 0) begin : g_add
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(next_i), .clk_o(clk));
      always @(posedge clk) begin
`ifdef VERILATOR
        if (next_i)  // lets simulators skip this logic when there is no sum
`endif
        begin
          added_q <= add(subtract_q, x_q, y_q, exponent_q, unit_q, eights_q, whole);
          {sign2_q, zero_sign2_q, special2_q, nan2_q} <= {sign_q, zero_sign_q, special_q, nan_q};
        end
      end
    end else begin : g_add
      always @* begin
        added_q = add(subtract_q, x_q, y_q, exponent_q, unit_q, eights_q, whole);
        {sign2_q, zero_sign2_q, special2_q, nan2_q} = {sign_q, zero_sign_q, special_q, nan_q};
      end
    end
  endgenerate

  // Rounds the sum. The leading bit is omitted because the exponent implies it, so a carry out of the fraction
  // increments the exponent correctly. The rounding decision and the carries into each octet of the fraction are
  // computed for both possible positions of the fraction, before it is known whether the predicted shift was right. A
  // carry enters an octet if all lower bits are ones; for a bfloat16, rounding begins at the lowest octet of the upper
  // half.
  localparam LOW = FRACTION_W - 7;
  wire             sum_valid;
  wire             short = FRACTION_W > 7 && short_i;
  reg              leads, again, up, infinite, ordinary, ones, ones_further, carry;
  reg  [FRACTION_W-1:0] here, further, fraction, rounded;
  reg  [7:0]       exponent;
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
  // Whether a fraction that is followed by three more bits must be rounded up.
  function goes_up(input [FRACTION_W+2:0] exact, input upper_half);
    goes_up = upper_half ? exact[LOW+2] && (exact[LOW+3] || |exact[LOW+1:0]) : exact[2] && (exact[3] || |exact[1:0]);
  endfunction
  integer b;
  always @* begin
    // Without a sum, these values are unused; leaving them undefined saves simulators most of the work.
    {leads, again, here, further, fraction, up, carry, ones, ones_further, rounded, exponent} = {(4*FRACTION_W+14){1'bx}};
    if (sum_valid) begin
      leads = normal_q[EXACT_W-1];
      again = !last_q && !leads;
      here = normal_q[EXACT_W-2:3];
      further = normal_q[EXACT_W-3:2];
      fraction = again ? further : here;
      up = again ? goes_up({normal_q[EXACT_W-3:0], 1'b0}, short) : goes_up(normal_q[EXACT_W-2:0], short);
      carry = up;
      ones = 1'b1;
      ones_further = 1'b1;
      for (b = 0; b < FRACTION_W; b = b + 1) begin
        if (b % 8 == 0) begin
          carry = (carry && (again ? ones_further : ones)) || (b == LOW && short && up);
          ones = 1'b1;
          ones_further = 1'b1;
        end
        rounded[b] = (fraction[b] ^ ((again ? ones_further : ones) && carry)) && !(short && b < LOW);
        ones = ones && here[b];
        ones_further = ones_further && further[b];
      end
      carry = carry && (again ? ones_further : ones);
      // The sum is subnormal if it has no leading 1 and must not be shifted further.
      if (leads) exponent = carry ? exponent2_q[7:0] + 8'd1 : exponent2_q[7:0];
      else if (last_q) exponent = {7'd0, carry};
      else exponent = carry ? exponent2_q[7:0] : exponent2_q[7:0] - 8'd1;
    end
    infinite = 1'b0;
    ordinary = 1'b0;
    sum_o = {WIDTH{1'b0}};
`ifdef VERILATOR
    if (sum_valid)
`endif
    begin
      // The addition may overflow. Rounding up the largest number needs no term: its carry already encodes infinity.
      infinite = special2_q || exponent2_q[8] || (leads && &exponent2_q[7:0]);
      ordinary = sum_valid && !infinite && !nan2_q;
      sum_o[WIDTH-1] = sum_valid && !nan2_q && (zero2_q ? zero_sign2_q : sign2_q);
      sum_o[FRACTION_W+:8] = {8{sum_valid && (infinite || nan2_q)}} | (exponent & {8{ordinary}});
      sum_o[FRACTION_W-1:0] = {sum_valid && nan2_q, {(FRACTION_W-1){1'b0}}} | (rounded & {FRACTION_W{ordinary}});
    end
    if (whole) sum_o = {exponent2_q[7:0], normal_q[EXACT_W-1:3]};
  end
endmodule
`default_nettype wire

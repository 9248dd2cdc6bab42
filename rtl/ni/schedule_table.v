// A port's reduce-schedule table, loaded before the collective and read in order. Since the pieces of a pipelined schedule
// repeat, the table is a loop: its lines_i lines are repeated until count_i entries have been popped. A line is an entry in
// iterations `first` to `end` - 1; in other iterations it is skipped, which takes one cycle (pass_o) without hold_i. Each
// iteration adds a stride to flow, address and timestep. A table that does not repeat has one iteration: all windows are
// 0 to 1.
//
// The address, and the fields that decide whether an entry issues and when the next one can (op, flow, dependencies, step,
// flits, iterations), are read one line ahead of the others, so that registers can provide the current iteration's flow,
// step and address, whether it contains the line, and whether the line has more flits than absorbs_i. Both memories are
// read one cycle ahead, as synchronous memory macros require. start_i puts the first line, which is kept in a register, at
// the head in the next cycle; nothing is loaded in that cycle. If start_i is valid late in its cycle, first_i announces
// early that the next line, if any, is the first one.
//
// With ECC, lines have check bits in the memories and in the first line's register (secded.v) and are corrected at their
// outputs in the same cycle. A single-bit error in a part of a line has no effect and is counted when the line leaves;
// larger errors are reported while the line is at the head. Corrected lines are not written back.
`include "../ni/coppice_layout.vh"
`default_nettype none
module schedule_table #(
  parameter ENTRY_W = 192,  // width of an entry
  parameter ENTRIES = 256,  // capacity in lines, a power of two
  parameter INDEX_W = 8,    // log2(ENTRIES)
  parameter ITER_W = 10,    // width of an iteration count
  parameter TOTAL_W = 16,   // width of the number of entries in all iterations
  parameter FLOW_W = 10,
  parameter COUNT_W = 10,   // width of a number of dependencies
  parameter STEP_W = 16,
  parameter ADDR_W = 24,    // width of a word address
  parameter FLITS_W = 24,
  parameter FLITS_AT = 102, // first bit of an entry's flits field
  parameter ECC = 0,        // 1: lines have check bits
  parameter GATES = 0,      // 1: gates the clocks of idle parts; memories have their own enables
  parameter LINE_W = ENTRY_W + 2 * ITER_W  // end, first, entry
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               load_valid_i,
  input  wire [INDEX_W-1:0] load_index_i,
  input  wire [LINE_W-1:0]  load_line_i,
  input  wire               start_i,
  input  wire               first_i,          // with start_i; otherwise not while pass_o
  input  wire [INDEX_W:0]   lines_i,          // lines per iteration
  input  wire [TOTAL_W-1:0] count_i,          // entries in all iterations
  input  wire [FLOW_W-1:0]  flow_stride_i,    // strides: constant while anything is in flight
  input  wire [ADDR_W-1:0]  address_stride_i,
  input  wire [STEP_W-1:0]  step_stride_i,
  input  wire [FLITS_W-1:0] absorbs_i,        // constant while anything is in flight
  input  wire               hold_i,           // no lines are skipped
  input  wire               pop_i,            // not while pass_o
  output wire               valid_o,          // an entry is at the head or behind skipped lines
  output wire               pass_o,           // the line at the head is skipped
  output wire [ENTRY_W-1:0] entry_o,          // with the iteration's flow, step and address
  output wire               above_o,          // the entry has more flits than absorbs_i
  output wire [TOTAL_W-1:0] issued_o,         // entries popped since the start
  output wire [1:0]         corrected_o,      // parts of the leaving line that were corrected
  output wire               wrong_o           // the line at the head differs from the loaded one
);
  localparam STEP_AT = `COPPICE_ENTRY_STEP_AT;
  localparam ADDR_AT = `COPPICE_ENTRY_ADDR_AT;
  localparam KEY_W = `COPPICE_ENTRY_WORDS_AT;       // op, flow, dependencies, step, address: the lowest bits of an entry
  localparam AHEAD_W = KEY_W + FLITS_W + 2 * ITER_W;
  localparam ABOVE_AT = FLITS_AT + FLITS_W;         // the first bit after the flits
  localparam REST_W = ENTRY_W - KEY_W - FLITS_W;
  localparam [INDEX_W-1:0] ONE = 1;
  localparam AHEAD_CODE_W = AHEAD_W + (ECC != 0 ? 1 + $clog2(AHEAD_W + $clog2(AHEAD_W + 1) + 1) : 0);
  localparam REST_CODE_W = REST_W + (ECC != 0 ? 1 + $clog2(REST_W + $clog2(REST_W + 1) + 1) : 0);
  reg [AHEAD_CODE_W-1:0] ahead_lines_q [0:ENTRIES-1];
  reg [REST_CODE_W-1:0]  rest_lines_q [0:ENTRIES-1];
  reg [AHEAD_CODE_W-1:0] first_q; // the part read ahead, of the first line
  reg [AHEAD_CODE_W-1:0] ahead_q; // the part read ahead, of the line after the head
  reg [REST_CODE_W-1:0]  rest_q;  // the rest of the head
  reg [KEY_W-1:0]   key_q;        // the head's first fields, with the iteration's flow, step and address
  reg [FLITS_W-1:0] flits_q;
  reg               is_in_q, above_q;
  reg [INDEX_W-1:0] next_q;       // the line after the head
  reg [INDEX_W:0]   count_lines_q;
  reg [TOTAL_W-1:0] issued_q;
  reg [TOTAL_W-1:0] count_q;
  reg [ITER_W-1:0]  iteration_q;  // the head's iteration; its offsets follow
  reg [FLOW_W-1:0]  flow_q;
  reg [STEP_W-1:0]  step_q;
  reg [ADDR_W-1:0]  address_q;

  wire [AHEAD_W-1:0] loaded = {load_line_i[ENTRY_W+:2*ITER_W], load_line_i[FLITS_AT+:FLITS_W], load_line_i[KEY_W-1:0]};
  wire [REST_W-1:0]  loaded_rest = {load_line_i[ENTRY_W-1:ABOVE_AT], load_line_i[FLITS_AT-1:KEY_W]};
  wire passes = pass_o && !hold_i;
  wire leaves = passes || (pop_i && valid_o);
  wire [INDEX_W:0] after = {1'b0, next_q} + 1'b1;
  wire ends = after == count_lines_q;               // the line after the head is the last one
  wire wraps = next_q == {INDEX_W{1'b0}};           // the line after the head is the first line
  wire alone = lines_i == {{INDEX_W{1'b0}}, 1'b1};

  // Clocks of the registers that change when a line reaches the head, when an iteration begins, and at a start.
  wire line_clk, iteration_clk, start_clk, first_clk;
  wire loads_first = load_valid_i && load_index_i == {INDEX_W{1'b0}};
  clock_gate #(.GATES(GATES)) i_line_gate (.clk_i(clk_i), .enable_i(!rst_ni || start_i || leaves), .clk_o(line_clk));
  clock_gate #(.GATES(GATES)) i_iteration_gate (
    .clk_i(clk_i), .enable_i(start_i || (leaves && (wraps || first_i))), .clk_o(iteration_clk));
  clock_gate #(.GATES(GATES)) i_start_gate (.clk_i(clk_i), .enable_i(!rst_ni || start_i), .clk_o(start_clk));
  clock_gate #(.GATES(GATES)) i_first_gate (.clk_i(clk_i), .enable_i(loads_first), .clk_o(first_clk));

  // Check bits before the memories, and corrected lines after them.
  wire [AHEAD_CODE_W-1:0] ahead_code;
  wire [REST_CODE_W-1:0]  rest_code;
  wire [AHEAD_W-1:0]      first_line, ahead_line;
  wire [REST_W-1:0]       rest;
  generate
    if (ECC != 0) begin : g_ecc
      localparam AHEAD_CHECK_W = AHEAD_CODE_W - AHEAD_W;
      localparam REST_CHECK_W = REST_CODE_W - REST_W;
      wire [AHEAD_CHECK_W-1:0] unused_first_check, unused_ahead_check;
      wire [REST_CHECK_W-1:0]  unused_rest_check;
      wire [AHEAD_W-1:0]       unused_loaded;
      wire [REST_W-1:0]        unused_loaded_rest;
      wire                     first_corrected, first_wrong, ahead_corrected, ahead_wrong, rest_corrected, rest_wrong;
      wire [3:0]               unused;
      reg                      corrected_q, wrong_q;  // state of the head's part that is read ahead
      secded #(.DATA_W(AHEAD_W)) i_load_ahead (
        .data_i(loaded), .check_i({AHEAD_CHECK_W{1'b0}}), .check_o(ahead_code[AHEAD_CODE_W-1:AHEAD_W]), .data_o(unused_loaded),
        .corrected_o(unused[0]), .wrong_o(unused[1]));
      secded #(.DATA_W(REST_W)) i_load_rest (
        .data_i(loaded_rest), .check_i({REST_CHECK_W{1'b0}}), .check_o(rest_code[REST_CODE_W-1:REST_W]),
        .data_o(unused_loaded_rest), .corrected_o(unused[2]), .wrong_o(unused[3]));
      assign ahead_code[AHEAD_W-1:0] = loaded;
      assign rest_code[REST_W-1:0] = loaded_rest;
      secded #(.DATA_W(AHEAD_W)) i_first (
        .data_i(first_q[AHEAD_W-1:0]), .check_i(first_q[AHEAD_CODE_W-1:AHEAD_W]), .check_o(unused_first_check),
        .data_o(first_line), .corrected_o(first_corrected), .wrong_o(first_wrong));
      secded #(.DATA_W(AHEAD_W)) i_ahead (
        .data_i(ahead_q[AHEAD_W-1:0]), .check_i(ahead_q[AHEAD_CODE_W-1:AHEAD_W]), .check_o(unused_ahead_check),
        .data_o(ahead_line), .corrected_o(ahead_corrected), .wrong_o(ahead_wrong));
      secded #(.DATA_W(REST_W)) i_rest (
        .data_i(rest_q[REST_W-1:0]), .check_i(rest_q[REST_CODE_W-1:REST_W]), .check_o(unused_rest_check), .data_o(rest),
        .corrected_o(rest_corrected), .wrong_o(rest_wrong));
      always @(posedge line_clk) begin
        if (start_i || leaves) begin
          corrected_q <= first_i ? first_corrected : ahead_corrected;
          wrong_q <= first_i ? first_wrong : ahead_wrong;
        end
      end
      assign corrected_o = {rest_corrected, corrected_q} & {2{leaves}};
      assign wrong_o = valid_o && (wrong_q || rest_wrong);
    end else begin : g_plain
      assign ahead_code = loaded;
      assign rest_code = loaded_rest;
      assign first_line = first_q;
      assign ahead_line = ahead_q;
      assign rest = rest_q;
      assign corrected_o = 2'd0;
      assign wrong_o = 1'b0;
    end
  endgenerate

  // The position of the head line in its loop.
  wire [AHEAD_W-1:0] comes = first_i ? first_line : ahead_line;
  wire [ITER_W-1:0]  iteration = (wraps ? iteration_q + 1'b1 : iteration_q) & {ITER_W{!first_i}};
  wire [FLOW_W-1:0]  flow_offset = (wraps ? flow_q + flow_stride_i : flow_q) & {FLOW_W{!first_i}};
  wire [STEP_W-1:0]  step_offset = (wraps ? step_q + step_stride_i : step_q) & {STEP_W{!first_i}};
  wire [ADDR_W-1:0]  address_offset = (wraps ? address_q + address_stride_i : address_q) & {ADDR_W{!first_i}};
  wire [FLOW_W-1:0]  flow = comes[2+:FLOW_W] + flow_offset;
  wire [STEP_W-1:0]  step = comes[STEP_AT+:STEP_W] + step_offset;
  wire [ADDR_W-1:0]  address = comes[ADDR_AT+:ADDR_W] + address_offset;
  wire [FLITS_W-1:0] flits = comes[KEY_W+:FLITS_W];
  wire [ITER_W-1:0]  first = comes[KEY_W+FLITS_W+:ITER_W];
  wire [ITER_W-1:0]  last = comes[KEY_W+FLITS_W+ITER_W+:ITER_W];

  assign valid_o = issued_q < count_q;
  assign pass_o = valid_o && !is_in_q;
  assign entry_o = {rest[REST_W-1:FLITS_AT-KEY_W], flits_q, rest[FLITS_AT-KEY_W-1:0], key_q};
  assign above_o = above_q;
  assign issued_o = issued_q;

  always @(posedge clk_i) begin
    if (load_valid_i) begin
      ahead_lines_q[load_index_i] <= ahead_code;
      rest_lines_q[load_index_i] <= rest_code;
    end
  end
  always @(posedge first_clk) if (loads_first || GATES != 0) first_q <= ahead_code;
  always @(posedge clk_i) begin
    if (start_i || leaves) begin
      ahead_q <= ahead_lines_q[start_i ? (alone ? {INDEX_W{1'b0}} : ONE) : ends ? {INDEX_W{1'b0}} : after[INDEX_W-1:0]];
      rest_q <= rest_lines_q[start_i ? {INDEX_W{1'b0}} : next_q];
    end
  end
  always @(posedge line_clk) begin
    if (start_i || leaves) begin
      key_q <= {address, step, comes[2+FLOW_W+:COUNT_W], flow, comes[1:0]};
      flits_q <= flits;
      is_in_q <= iteration >= first && iteration < last;
      above_q <= flits > absorbs_i;
    end
  end
  always @(posedge line_clk) begin
    if (start_i) next_q <= alone ? {INDEX_W{1'b0}} : ONE;
    else if (leaves) next_q <= ends ? {INDEX_W{1'b0}} : after[INDEX_W-1:0];
  end
  always @(posedge iteration_clk) begin
    if (start_i) begin
      iteration_q <= {ITER_W{1'b0}};
      flow_q <= {FLOW_W{1'b0}};
      step_q <= {STEP_W{1'b0}};
      address_q <= {ADDR_W{1'b0}};
    end else if (leaves) begin
      iteration_q <= iteration;
      flow_q <= flow_offset;
      step_q <= step_offset;
      address_q <= address_offset;
    end
  end
  always @(posedge start_clk) begin
    if (!rst_ni) begin
      count_lines_q <= {(INDEX_W + 1){1'b0}};
      count_q <= {TOTAL_W{1'b0}};
    end else if (start_i) begin
      count_lines_q <= lines_i;
      count_q <= count_i;
    end
  end
  always @(posedge line_clk) begin
    if (!rst_ni || start_i) issued_q <= {TOTAL_W{1'b0}};
    else if (leaves && !passes) issued_q <= issued_q + 1'b1;
  end
endmodule
`default_nettype wire

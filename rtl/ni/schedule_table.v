// The reduce-schedule table of a port, which is loaded before the collective and then read in order. The pieces of a
// pipelined schedule repeat, so the table is a loop: its lines_i lines are repeated until count_i entries have been
// popped. Each line is an entry with a window of iterations, from `first` to `end` - 1. In other iterations the line is
// skipped, which takes one cycle (pass_o) while hold_i is 0. Each iteration adds a stride to flow, address and
// timestep. A table that does not repeat has one iteration, and every line has `first` 0 and `end` 1.
//
// Some fields are read one line ahead of the others: the address, and the fields that decide when this entry and the
// next can issue (op, flow, dependencies, step, flits, iterations). Registers can then provide the flow, step and
// address of the current iteration, and indicate whether the iteration contains the line and whether the line has more
// flits than absorbs_i. Both memories are read one cycle in advance, as synchronous memory macros require. start_i
// brings the first line, which is kept in a register, to the head in the next cycle; no line may be loaded in the cycle
// of start_i. If start_i settles late in its cycle, first_i announces earlier that the next line, if any, is line 0.
//
// With ECC, check bits (secded.v) protect the lines in the memories and in the first line's register, and lines are
// corrected in the cycle in which they are read. A line has two parts. A single wrong bit in a part has no effect and
// is counted when the line leaves; two wrong bits in a part are reported while the line is at the head. The memory
// itself is not corrected.
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
  parameter GATES = 0,      // 1: gates the clocks of idle parts; each memory has a separate enable
  parameter LINE_W = ENTRY_W + 2 * ITER_W  // {end, first, entry}
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               load_valid_i,
  input  wire [INDEX_W-1:0] load_index_i,
  input  wire [LINE_W-1:0]  load_line_i,
  input  wire               start_i,
  input  wire               first_i,  // the next line is line 0; required with start_i, otherwise forbidden with pass_o
  input  wire [INDEX_W:0]   lines_i,          // lines per iteration
  input  wire [TOTAL_W-1:0] count_i,          // entries in all iterations
  input  wire [FLOW_W-1:0]  flow_stride_i,    // the strides must not change while entries remain
  input  wire [ADDR_W-1:0]  address_stride_i,
  input  wire [STEP_W-1:0]  step_stride_i,
  input  wire [FLITS_W-1:0] absorbs_i,        // must not change while entries remain
  input  wire               hold_i,           // prevents the skipping of lines
  input  wire               pop_i,            // not allowed with pass_o
  output wire               valid_o,          // an entry is at the head or follows skipped lines
  output wire               pass_o,           // the line at the head is being skipped
  output wire [ENTRY_W-1:0] entry_o,          // flow, step and address are those of the current iteration
  output wire               above_o,          // the entry has more flits than absorbs_i
  output wire [TOTAL_W-1:0] issued_o,         // entries popped since the start
  output wire [1:0]         corrected_o,      // parts of the leaving line in which a bit was corrected
  output wire               wrong_o           // the line at the head differs from the one loaded
);
  localparam STEP_AT = `COPPICE_ENTRY_STEP_AT;
  localparam ADDR_AT = `COPPICE_ENTRY_ADDR_AT;
  localparam KEY_W = `COPPICE_ENTRY_WORDS_AT;  // width of the lowest fields: op, flow, dependencies, step, address
  localparam AHEAD_W = KEY_W + FLITS_W + 2 * ITER_W;
  localparam ABOVE_AT = FLITS_AT + FLITS_W;         // the first bit after the flits field
  localparam REST_W = ENTRY_W - KEY_W - FLITS_W;
  localparam [INDEX_W-1:0] ONE = 1;
  localparam AHEAD_CODE_W = AHEAD_W + (ECC != 0 ? 1 + $clog2(AHEAD_W + $clog2(AHEAD_W + 1) + 1) : 0);
  localparam REST_CODE_W = REST_W + (ECC != 0 ? 1 + $clog2(REST_W + $clog2(REST_W + 1) + 1) : 0);
  reg [AHEAD_CODE_W-1:0] ahead_lines_q [0:ENTRIES-1];
  reg [REST_CODE_W-1:0]  rest_lines_q [0:ENTRIES-1];
  reg [AHEAD_CODE_W-1:0] first_q; // the first line's fields that are read ahead
  reg [AHEAD_CODE_W-1:0] ahead_q; // the same fields of the line after the head
  reg [REST_CODE_W-1:0]  rest_q;  // the other fields of the head line
  reg [KEY_W-1:0]   key_q;        // the lowest fields of the head line, for the current iteration
  reg [FLITS_W-1:0] flits_q;
  reg               is_in_q, above_q;
  reg [INDEX_W-1:0] next_q;       // index of the line after the head
  reg [INDEX_W:0]   count_lines_q;
  reg [TOTAL_W-1:0] issued_q;
  reg [TOTAL_W-1:0] count_q;
  reg [ITER_W-1:0]  iteration_q;  // iteration of the head line, followed by its offsets for flow, step and address
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

  // Gated clocks of the registers that change when a line reaches the head, when an iteration begins, at a start, and
  // when line 0 is loaded.
  wire line_clk, iteration_clk, start_clk, first_clk;
  wire loads_first = load_valid_i && load_index_i == {INDEX_W{1'b0}};
  clock_gate #(.GATES(GATES)) i_line_gate (.clk_i(clk_i), .enable_i(!rst_ni || start_i || leaves), .clk_o(line_clk));
  clock_gate #(.GATES(GATES)) i_iteration_gate (
    .clk_i(clk_i), .enable_i(start_i || (leaves && (wraps || first_i))), .clk_o(iteration_clk));
  clock_gate #(.GATES(GATES)) i_start_gate (.clk_i(clk_i), .enable_i(!rst_ni || start_i), .clk_o(start_clk));
  clock_gate #(.GATES(GATES)) i_first_gate (.clk_i(clk_i), .enable_i(loads_first), .clk_o(first_clk));

  // Check bits are added before lines are written to the memories; lines are corrected after they have been read.
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
      reg                      corrected_q, wrong_q;  // errors in the head line's fields that were read ahead
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

  // The line that reaches the head, its iteration, and its fields in this iteration.
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

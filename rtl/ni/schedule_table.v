// The reduce-schedule table of one port: loaded before the collective, read in order. Pieces of a pipelined schedule
// repeat, so the table is a loop: its lines_i lines are gone through again and again, until count_i entries have been
// popped. A line is an entry in the iterations from `first` to before `end`; in others it is passed over, in a cycle
// of its own (pass_o) without hold_i. With every iteration flow, address and timestep go on by a stride: the entry has
// flow and step of its iteration, and the offset is what is to be added to its address. A table that does not repeat is one iteration: all windows are 0 to 1.
//
// What decides whether an entry issues, and when the next may (op, flow, dependencies, step, flits, iterations), is read a
// line ahead of the rest, so that it comes out of registers: flow and step as they are in the iteration, whether the line is in
// it, and whether it has more flits than absorbs_i. Both memories are read a cycle ahead, as synchronous memory macros can. start_i puts the first
// line, which is kept beside them, at the head in the next cycle; nothing is loaded in that cycle. Where start_i is late in
// its cycle, first_i tells before it that the first line is next, if a line is.
`default_nettype none
module schedule_table #(
  parameter ENTRY_W = 192,  // bits of an entry
  parameter ENTRIES = 256,  // capacity in lines, a power of two
  parameter INDEX_W = 8,    // log2(ENTRIES)
  parameter ITER_W = 10,    // bits of a number of iterations
  parameter TOTAL_W = 16,   // bits of a number of entries, of all iterations
  parameter FLOW_W = 10,
  parameter COUNT_W = 10,   // dependencies
  parameter STEP_W = 16,
  parameter ADDR_W = 24,    // in words
  parameter FLITS_W = 24,
  parameter FLITS_AT = 102, // first bit of the flits in an entry
  parameter LINE_W = ENTRY_W + 2 * ITER_W  // end, first, entry
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               load_valid_i,
  input  wire [INDEX_W-1:0] load_index_i,
  input  wire [LINE_W-1:0]  load_line_i,
  input  wire               start_i,
  input  wire               first_i,          // with start_i; else not while pass_o
  input  wire [INDEX_W:0]   lines_i,          // of an iteration
  input  wire [TOTAL_W-1:0] count_i,          // entries of all iterations
  input  wire [FLOW_W-1:0]  flow_stride_i,    // strides: constant while anything runs
  input  wire [ADDR_W-1:0]  address_stride_i,
  input  wire [STEP_W-1:0]  step_stride_i,
  input  wire [FLITS_W-1:0] absorbs_i,        // constant while anything runs
  input  wire               hold_i,           // nothing is passed over
  input  wire               pop_i,            // not while pass_o
  output wire               valid_o,          // there is an entry, at the head or after what is passed over
  output wire               pass_o,           // the line at the head is passed over
  output wire [ENTRY_W-1:0] entry_o,          // with flow and step of the iteration
  output wire               above_o,          // its flits are more than absorbs_i
  output wire [ADDR_W-1:0]  address_offset_o,
  output wire [TOTAL_W-1:0] issued_o          // entries popped since the start
);
  localparam STEP_AT = 2 + FLOW_W + COUNT_W;
  localparam KEY_W = STEP_AT + STEP_W;              // op, flow, dependencies, step: the lowest bits of an entry
  localparam AHEAD_W = KEY_W + FLITS_W + 2 * ITER_W;
  localparam ABOVE_AT = FLITS_AT + FLITS_W;         // behind the flits
  localparam REST_W = ENTRY_W - KEY_W - FLITS_W;
  localparam [INDEX_W-1:0] ONE = 1;
  reg [AHEAD_W-1:0] ahead_lines_q [0:ENTRIES-1];
  reg [REST_W-1:0]  rest_lines_q [0:ENTRIES-1];
  reg [AHEAD_W-1:0] first_q;      // of the first line
  reg [AHEAD_W-1:0] ahead_q;      // of the line after the head
  reg [REST_W-1:0]  rest_q;       // of the head
  reg [KEY_W-1:0]   key_q;        // the same, with flow and step of the iteration
  reg [FLITS_W-1:0] flits_q;
  reg               is_in_q, above_q;
  reg [INDEX_W-1:0] next_q;       // the line after the head
  reg [INDEX_W:0]   count_lines_q;
  reg [TOTAL_W-1:0] issued_q;
  reg [TOTAL_W-1:0] count_q;
  reg [ITER_W-1:0]  iteration_q;  // of the head, and its offsets
  reg [FLOW_W-1:0]  flow_q;
  reg [STEP_W-1:0]  step_q;
  reg [ADDR_W-1:0]  address_q;

  wire [AHEAD_W-1:0] loaded = {load_line_i[ENTRY_W+:2*ITER_W], load_line_i[FLITS_AT+:FLITS_W], load_line_i[KEY_W-1:0]};
  wire passes = pass_o && !hold_i;
  wire leaves = passes || (pop_i && valid_o);
  wire [INDEX_W:0] after = {1'b0, next_q} + 1'b1;
  wire ends = after == count_lines_q;               // the line after the head is the last one
  wire wraps = next_q == {INDEX_W{1'b0}};           // it is the first one
  wire alone = lines_i == {{INDEX_W{1'b0}}, 1'b1};

  // What the line that comes to the head is there.
  wire [AHEAD_W-1:0] comes = first_i ? first_q : ahead_q;
  wire [ITER_W-1:0]  iteration = (wraps ? iteration_q + 1'b1 : iteration_q) & {ITER_W{!first_i}};
  wire [FLOW_W-1:0]  flow_offset = (wraps ? flow_q + flow_stride_i : flow_q) & {FLOW_W{!first_i}};
  wire [STEP_W-1:0]  step_offset = (wraps ? step_q + step_stride_i : step_q) & {STEP_W{!first_i}};
  wire [FLOW_W-1:0]  flow = comes[2+:FLOW_W] + flow_offset;
  wire [STEP_W-1:0]  step = comes[STEP_AT+:STEP_W] + step_offset;
  wire [FLITS_W-1:0] flits = comes[KEY_W+:FLITS_W];
  wire [ITER_W-1:0]  first = comes[KEY_W+FLITS_W+:ITER_W];
  wire [ITER_W-1:0]  last = comes[KEY_W+FLITS_W+ITER_W+:ITER_W];

  assign valid_o = issued_q < count_q;
  assign pass_o = valid_o && !is_in_q;
  assign entry_o = {rest_q[REST_W-1:FLITS_AT-KEY_W], flits_q, rest_q[FLITS_AT-KEY_W-1:0], key_q};
  assign above_o = above_q;
  assign address_offset_o = address_q;
  assign issued_o = issued_q;

  always @(posedge clk_i) begin
    if (load_valid_i) begin
      ahead_lines_q[load_index_i] <= loaded;
      rest_lines_q[load_index_i] <= {load_line_i[ENTRY_W-1:ABOVE_AT], load_line_i[FLITS_AT-1:KEY_W]};
      if (load_index_i == {INDEX_W{1'b0}}) first_q <= loaded;
    end
  end
  always @(posedge clk_i) begin
    if (start_i || leaves) begin
      ahead_q <= ahead_lines_q[start_i ? (alone ? {INDEX_W{1'b0}} : ONE) : ends ? {INDEX_W{1'b0}} : after[INDEX_W-1:0]];
      rest_q <= rest_lines_q[start_i ? {INDEX_W{1'b0}} : next_q];
      key_q <= {step, comes[2+FLOW_W+:COUNT_W], flow, comes[1:0]};
      flits_q <= flits;
      is_in_q <= iteration >= first && iteration < last;
      above_q <= flits > absorbs_i;
    end
  end
  always @(posedge clk_i) begin
    if (start_i) begin
      next_q <= alone ? {INDEX_W{1'b0}} : ONE;
      iteration_q <= {ITER_W{1'b0}};
      flow_q <= {FLOW_W{1'b0}};
      step_q <= {STEP_W{1'b0}};
      address_q <= {ADDR_W{1'b0}};
    end else if (leaves) begin
      next_q <= ends ? {INDEX_W{1'b0}} : after[INDEX_W-1:0];
      iteration_q <= iteration;
      flow_q <= flow_offset;
      step_q <= step_offset;
      if (wraps) address_q <= address_q + address_stride_i;
    end
  end
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      count_lines_q <= {(INDEX_W + 1){1'b0}};
      issued_q <= {TOTAL_W{1'b0}};
      count_q <= {TOTAL_W{1'b0}};
    end else if (start_i) begin
      count_lines_q <= lines_i;
      count_q <= count_i;
      issued_q <= {TOTAL_W{1'b0}};
    end else if (leaves && !passes) begin
      issued_q <= issued_q + 1'b1;
    end
  end
endmodule
`default_nettype wire

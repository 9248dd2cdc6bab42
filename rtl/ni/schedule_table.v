// The reduce-schedule table of one port: loaded before the collective, read in order. Pieces of a pipelined schedule
// repeat, so the table is a loop: its lines_i lines are gone through again and again, until count_i entries have been
// popped. A line is an entry in the iterations from `first` to before `end`; in others it is passed over, in a cycle
// of its own (pass_o) without hold_i. With every iteration flow, address and timestep go on by a stride: the offsets are
// what is to be added to the entry's. A table that does not repeat is one iteration: all windows are 0 to 1.
//
// The memory is read a cycle ahead, so that the line after one that left is at the head in the next cycle, as a
// synchronous memory macro can. start_i puts the first line at the head in the next cycle.
`default_nettype none
module schedule_table #(
  parameter ENTRY_W = 192,  // bits of an entry
  parameter ENTRIES = 256,  // capacity in lines, a power of two
  parameter INDEX_W = 8,    // log2(ENTRIES)
  parameter ITER_W = 10,    // bits of a number of iterations
  parameter TOTAL_W = 16,   // bits of a number of entries, of all iterations
  parameter FLOW_W = 10,
  parameter ADDR_W = 24,    // in words
  parameter STEP_W = 16,
  parameter LINE_W = ENTRY_W + 2 * ITER_W  // end, first, entry
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               load_valid_i,
  input  wire [INDEX_W-1:0] load_index_i,
  input  wire [LINE_W-1:0]  load_line_i,
  input  wire               start_i,
  input  wire [INDEX_W:0]   lines_i,          // of an iteration
  input  wire [TOTAL_W-1:0] count_i,          // entries of all iterations
  input  wire [FLOW_W-1:0]  flow_stride_i,    // strides: constant while anything runs
  input  wire [ADDR_W-1:0]  address_stride_i,
  input  wire [STEP_W-1:0]  step_stride_i,
  input  wire               hold_i,           // nothing is passed over
  input  wire               pop_i,            // not while pass_o
  output wire               valid_o,          // there is an entry, at the head or after what is passed over
  output wire               pass_o,           // the line at the head is passed over
  output wire [ENTRY_W-1:0] entry_o,
  output wire [FLOW_W-1:0]  flow_offset_o,
  output wire [ADDR_W-1:0]  address_offset_o,
  output wire [STEP_W-1:0]  step_offset_o,
  output wire [TOTAL_W-1:0] issued_o          // entries popped since the start
);
  reg [LINE_W-1:0]  lines_q [0:ENTRIES-1];
  reg [LINE_W-1:0]  line_q;
  reg [INDEX_W-1:0] at_q;
  reg [INDEX_W:0]   count_lines_q;
  reg [ITER_W-1:0]  iteration_q;
  reg [TOTAL_W-1:0] issued_q;
  reg [TOTAL_W-1:0] count_q;
  reg [FLOW_W-1:0]  flow_q;
  reg [ADDR_W-1:0]  address_q;
  reg [STEP_W-1:0]  step_q;

  wire [ITER_W-1:0] first = line_q[ENTRY_W+:ITER_W];
  wire [ITER_W-1:0] last = line_q[ENTRY_W+ITER_W+:ITER_W];
  wire is_in = iteration_q >= first && iteration_q < last;
  wire passes = pass_o && !hold_i;
  wire leaves = passes || (pop_i && valid_o);
  wire [INDEX_W:0] after = {1'b0, at_q} + 1'b1;
  wire again = leaves && after == count_lines_q;
  wire [INDEX_W-1:0] at_d = start_i || again ? {INDEX_W{1'b0}} : leaves ? after[INDEX_W-1:0] : at_q;

  assign valid_o = issued_q < count_q;
  assign pass_o = valid_o && !is_in;
  assign entry_o = line_q[ENTRY_W-1:0];
  assign flow_offset_o = flow_q;
  assign address_offset_o = address_q;
  assign step_offset_o = step_q;
  assign issued_o = issued_q;

  always @(posedge clk_i) begin
    if (load_valid_i) lines_q[load_index_i] <= load_line_i;
  end
  always @(posedge clk_i) begin
    if (start_i || leaves) line_q <= lines_q[at_d];
  end
  always @(posedge clk_i) begin
    if (start_i) begin
      iteration_q <= {ITER_W{1'b0}};
      flow_q <= {FLOW_W{1'b0}};
      address_q <= {ADDR_W{1'b0}};
      step_q <= {STEP_W{1'b0}};
    end else if (again) begin
      iteration_q <= iteration_q + 1'b1;
      flow_q <= flow_q + flow_stride_i;
      address_q <= address_q + address_stride_i;
      step_q <= step_q + step_stride_i;
    end
  end
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q <= {INDEX_W{1'b0}};
      count_lines_q <= {(INDEX_W + 1){1'b0}};
      issued_q <= {TOTAL_W{1'b0}};
      count_q <= {TOTAL_W{1'b0}};
    end else begin
      at_q <= at_d;
      if (start_i) begin
        count_lines_q <= lines_i;
        count_q <= count_i;
        issued_q <= {TOTAL_W{1'b0}};
      end else if (leaves && !passes) begin
        issued_q <= issued_q + 1'b1;
      end
    end
  end
endmodule
`default_nettype wire

// The part of a network-interface port that exists once per context if there are several contexts: reduce-schedule
// table, timestep and lockstep counters, and command decoder. The table is loaded line by line and then committed; from
// the next cycle on, its entries can issue in cycles with active_i. After its last entry, the table returns to its
// first line, so that the same collective can follow immediately. clear_i, in the last cycle of a collective, resets
// everything to the state after the commit.
//
// In a cycle with request_o, the entry at the head can issue, and does if grant_i is set. A nop needs no grant.
`include "../ni/coppice_layout.vh"
`default_nettype none
module port_context #(
  parameter ENTRIES = 256,   // lines of the table, a power of two
  parameter INDEX_W = 8,     // log2(ENTRIES)
  parameter ITER_W = 10,     // width of an iteration count
  parameter TOTAL_W = 16,    // width of the number of entries in all iterations
  parameter TIME_W = 32,
  parameter FLOW_W = 10,
  parameter COUNT_W = 10,    // width of a number of dependencies
  parameter STEP_W = 16,
  parameter ADDR_W = 24,     // width of a word address
  parameter LEN_W = 20,      // width of a length in words
  parameter FLITS_W = 24,
  parameter PACKETS_W = 14,
  parameter ROUTE_W = 42,
  parameter ECC = 0,         // 1: the table has check bits
  parameter GATES = 0,       // 1: gates the clocks of idle parts
  parameter ENTRY_W = `COPPICE_ENTRY_W,
  parameter LINE_W = ENTRY_W + 2 * ITER_W
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire [TIME_W-1:0]  now_i,
  input  wire               lockstep_i,
  input  wire [FLITS_W-1:0] absorbs_i,
  input  wire [FLOW_W-1:0]  flow_stride_i,
  input  wire [ADDR_W-1:0]  address_stride_i,
  input  wire [STEP_W-1:0]  step_stride_i,
  input  wire               load_valid_i,
  input  wire [INDEX_W-1:0] load_index_i,
  input  wire [LINE_W-1:0]  load_line_i,
  input  wire               commit_i,  // not in the cycle that loads line 0; not with active_i while entries remain
  input  wire [INDEX_W:0]   lines_i,        // lines per iteration; valid with commit_i
  input  wire [TOTAL_W-1:0] count_i,        // entries in all iterations; valid with commit_i
  input  wire               active_i,       // the context is running
  input  wire               clear_i,        // the context stops running in the next cycle
  input  wire               place_i,
  input  wire               satisfied_i,
  input  wire               grant_i,        // the entry issues; allowed only with request_o
  output wire [FLOW_W-1:0]  query_flow_o,
  output wire [COUNT_W-1:0] query_dependencies_o,
  output wire               request_o,
  output wire [ENTRY_W-1:0] entry_o,        // flow, step and address are those of the current iteration
  output wire               ended_o,        // after this cycle, no entries remain in the table
  output wire [2:0]         state_o,        // encoded as ni::DecoderState
  output wire [TOTAL_W-1:0] issued_o,
  output wire [STEP_W-1:0]  timestep_o,
  output wire [TIME_W-1:0]  lockstep_o,
  output wire [TIME_W-1:0]  release_o,
  output wire [1:0]         corrected_o,    // parts of the leaving line in which a bit was corrected
  output wire               wrong_o,
  output wire               busy_o          // the context needs its clock in the next cycle
);
  localparam [1:0] OP_NOP = 2'd2;

  reg  [INDEX_W:0]   lines_q;
  reg  [TOTAL_W-1:0] count_q;
  reg                ended_q;  // the last entry has left the table

  wire               table_valid, table_pass, table_wrong, hold, nop;
  wire                 above;
  wire [1:0]           op = entry_o[`COPPICE_OP_W-1:0];
  wire [FLOW_W-1:0]    flow = entry_o[`COPPICE_ENTRY_FLOW_AT+:FLOW_W];
  wire [COUNT_W-1:0]   dependencies = entry_o[`COPPICE_ENTRY_COUNT_AT+:COUNT_W];
  wire [STEP_W-1:0]    step = entry_o[`COPPICE_ENTRY_STEP_AT+:STEP_W];
  wire [FLITS_W-1:0]   flits = entry_o[`COPPICE_ENTRY_FLITS_AT+:FLITS_W];

  wire [TOTAL_W-1:0] after = issued_o + 1'b1;
  wire runs = active_i && !ended_q && !commit_i;
  wire valid = table_valid && runs;
  wire pass = table_pass && runs;
  wire pop = grant_i || nop;
  wire is_last = after == count_q;
  wire last = pop && is_last;
  wire absorbs = above && op != OP_NOP;

  schedule_table #(
    .ENTRY_W(ENTRY_W), .ENTRIES(ENTRIES), .INDEX_W(INDEX_W), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W), .FLOW_W(FLOW_W),
    .COUNT_W(COUNT_W), .STEP_W(STEP_W), .ADDR_W(ADDR_W), .FLITS_W(FLITS_W),
    .FLITS_AT(`COPPICE_ENTRY_FLITS_AT), .ECC(ECC), .GATES(GATES)
  ) i_table (
    .clk_i(clk_i), .rst_ni(rst_ni), .load_valid_i(load_valid_i), .load_index_i(load_index_i),
    .load_line_i(load_line_i), .start_i(commit_i || last), .first_i(commit_i || (is_last && !table_pass)), .lines_i(commit_i ? lines_i : lines_q),
    .count_i(commit_i ? count_i : count_q), .flow_stride_i(flow_stride_i), .address_stride_i(address_stride_i),
    .step_stride_i(step_stride_i), .absorbs_i(absorbs_i), .hold_i(!runs), .pop_i(pop), .valid_o(table_valid),
    .pass_o(table_pass), .entry_o(entry_o), .above_o(above), .issued_o(issued_o),
    .corrected_o(corrected_o), .wrong_o(table_wrong));
  assign wrong_o = table_wrong && runs;
  wire counters_clk;
  clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || clear_i || pop), .clk_o(counters_clk));
  timestep_counter #(.STEP_W(STEP_W)) i_timestep (
    .clk_i(counters_clk), .rst_ni(rst_ni), .reset_i(clear_i), .advance_i(pop), .step_i(step), .value_o(timestep_o));
  lockstep_counter #(.TIME_W(TIME_W)) i_lockstep (
    .clk_i(counters_clk), .rst_ni(rst_ni && !clear_i), .now_i(now_i), .load_i(pop && lockstep_i),
    .duration_i({{(TIME_W - FLITS_W){1'b0}}, flits}),
    .absorbed_i(absorbs ? {{(TIME_W - FLITS_W){1'b0}}, absorbs_i} : {TIME_W{1'b0}}),
    .hold_o(hold), .release_o(release_o), .value_o(lockstep_o));
  assign query_flow_o = flow;
  assign query_dependencies_o = dependencies;
  command_decoder i_decoder (
    .valid_i(valid), .pass_i(pass), .nop_i(op == OP_NOP), .lockstep_i(lockstep_i), .hold_i(hold),
    .satisfied_i(satisfied_i), .place_i(place_i), .state_o(state_o), .issue_o(request_o), .nop_o(nop));
  assign busy_o = pop || pass;
  assign ended_o = !valid || last;

  always @(posedge clk_i) begin
    if (commit_i) begin
      lines_q <= lines_i;
      count_q <= count_i;
    end
    if (!rst_ni || clear_i || commit_i) ended_q <= 1'b0;
    else if (last) ended_q <= 1'b1;
    if (!rst_ni) begin
      lines_q <= {(INDEX_W + 1){1'b0}};
      count_q <= {TOTAL_W{1'b0}};
    end
  end
endmodule
`default_nettype wire

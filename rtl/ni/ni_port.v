// The part of the network interface that exists once per port: reduce-schedule table, timestep and lockstep counters,
// command decoder, DMA address generator with its buffer, packetizer, injection port and depacketizer.
//
// In the cycle in which an entry issues (issue_o), it leaves the head of the table, its message enters the packetizer,
// and from the next cycle on its data is requested. The message's head flit leaves at least dma_latency_i cycles after
// the issue. A nop waits for the lockstep and then takes one cycle, as does each skipped table line.
//
// A table line consists of the entry (coppice_layout.vh), the first iteration in which the entry exists, and the first
// one in which it no longer does. The entry's flow, step and address are those of iteration 0; a stride is added to
// each for every further iteration.
//
// With several CONTEXTS, each context has its own table, counters and decoder (port_context), and a context_arbiter
// selects one of the contexts whose entries can issue. The flow in a head flit is then extended by the collective's id,
// and the address is relative to the collective's buffer. On arrival, data_address_o adds the base address of the
// buffer, and arrived_flow_o replaces the id with the number of the context. stray_o reports a head flit whose
// collective has no open context.
`include "../ni/coppice_layout.vh"
`default_nettype none
module ni_port #(
  parameter FLIT_W = 128,    // flit width
  parameter LANES = 4,       // words per flit, a power of two
  parameter VCS = 4,
  parameter VC_W = 2,
  parameter CREDIT_W = 10,
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
  parameter SOURCE_W = 10,
  parameter ROUTE_W = 42,
  parameter BUFFER = 16,     // capacity in flits between DMA and injection, a power of two above the DMA latency
  parameter BUFFER_W = 4,    // log2(BUFFER)
  parameter CONTEXTS = 1,    // at least 1
  parameter CONTEXT_W = 1,   // log2(CONTEXTS), rounded up, at least 1
  parameter ID_W = 1,        // width of a collective's id, at least CONTEXT_W; unused with one context
  parameter PRIORITY_W = 1,
  parameter ECC = 0,         // 1: tables have check bits
  parameter GATES = 0,       // 1: gates the clocks of idle parts
  parameter TAGGED_W = CONTEXTS > 1 ? ID_W + FLOW_W : FLOW_W,  // width of a flow, including any id or context
  parameter ENTRY_W = `COPPICE_ENTRY_W,
  parameter LINE_W = ENTRY_W + 2 * ITER_W
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire [TIME_W-1:0]       now_i,
  // Configuration; must not change while messages are being sent or received.
  input  wire                    lockstep_i,
  input  wire [FLITS_W-1:0]      absorbs_i,  // number of a message's flits that the interface's buffer absorbs
  input  wire [TIME_W-1:0]       dma_latency_i,    // cycles from issue to head flit, 2 to BUFFER - 2
  input  wire [LEN_W-1:0]        payload_words_i,
  input  wire [CONTEXTS*FLOW_W-1:0] flow_stride_i,  // each iteration of the table adds these strides
  input  wire [CONTEXTS*ADDR_W-1:0] address_stride_i,
  input  wire [CONTEXTS*STEP_W-1:0] step_stride_i,
  input  wire [SOURCE_W-1:0]     source_i,
  input  wire [VCS*CREDIT_W-1:0] credits_i,
  // Tables. With one context, start_i starts the table. With several, commit_i prepares a context's table, which
  // runs while active_i is set.
  input  wire [CONTEXTS-1:0]     load_valid_i,
  input  wire [INDEX_W-1:0]      load_index_i,
  input  wire [LINE_W-1:0]       load_line_i,
  input  wire                    start_i,
  input  wire                    take_credits_i,   // loads credits_i; the credits can be used from the next cycle on
  input  wire [INDEX_W:0]        lines_i,
  input  wire [TOTAL_W-1:0]      count_i,          // entries of the table in all iterations
  // Signals of the contexts; see contexts.v.
  input  wire [CONTEXTS-1:0]     commit_i,
  input  wire [CONTEXTS-1:0]     open_i,
  input  wire [CONTEXTS-1:0]     active_i,
  input  wire [CONTEXTS-1:0]     fresh_i,
  input  wire [CONTEXTS-1:0]     done_i,
  input  wire [CONTEXTS*CONTEXT_W-1:0]  place_i,
  input  wire [CONTEXTS*ID_W-1:0]       id_i,
  input  wire [CONTEXTS*ADDR_W-1:0]     base_i,
  input  wire [CONTEXTS*PRIORITY_W-1:0] priority_i,
  input  wire [1:0]              order_i,
  output wire [CONTEXTS-1:0]     ended_o,          // after this cycle, no entries remain in the table
  output wire [CONTEXTS-1:0]     left_o,           // the last tail of a message leaves the port
  output wire                    stray_o,
  // Queries to the dependency trackers: have the messages for which the entry waits arrived?
  output wire [CONTEXTS*FLOW_W-1:0]  query_flow_o,
  output wire [CONTEXTS*COUNT_W-1:0] query_dependencies_o,
  input  wire [CONTEXTS-1:0]     satisfied_i,
  // Reads from the gradient buffer; the data arrives dma_latency_i - 1 cycles after its request.
  output wire                    dma_valid_o,
  output wire [ADDR_W-1:0]       dma_address_o,
  output wire [LANES-1:0]        dma_lanes_o,
  output wire                    dma_next_o,       // a request will be present in the next cycle
  output wire [ADDR_W-1:0]       dma_next_address_o,
  output wire [LANES-1:0]        dma_next_lanes_o,
  input  wire                    dma_conflict_i,
  input  wire                    dma_data_valid_i,
  input  wire [FLIT_W-1:0]       dma_data_i,
  // Injection channel, to the router.
  output wire                    flit_valid_o,
  output wire [VC_W-1:0]         flit_vc_o,
  output wire                    flit_head_o,
  output wire                    flit_tail_o,
  output wire [FLIT_W-1:0]       flit_o,
  input  wire [VCS-1:0]          credit_i,
  // Ejection channel, from the router.
  input  wire [VCS-1:0]          flit_valid_i,     // a flit arrives; one-hot by virtual channel
  input  wire                    flit_head_i,
  input  wire                    flit_tail_i,
  input  wire [FLIT_W-1:0]       flit_i,
  // Arriving data for the reduction unit, and arriving messages for the dependency trackers.
  output wire                    data_valid_o,
  output wire                    data_add_o,
  output wire [ADDR_W-1:0]       data_address_o,
  output wire [LANES-1:0]        data_lanes_o,
  output wire [VCS-1:0]          data_vc_o,        // virtual channel of the flit, one-hot
  output wire [VCS*ADDR_W-1:0]   vc_address_o,
  output wire [VCS*LANES-1:0]    vc_lanes_o,
  output wire [FLIT_W-1:0]       data_o,
  output wire                    arrived_o,
  output wire                    arrived_add_o,
  output wire                    arrived_store_o,
  output wire [TAGGED_W-1:0]     arrived_flow_o,
  // For observers and clock gating; one element per context.
  output wire [CONTEXTS*3-1:0]   state_o,
  output wire [CONTEXTS-1:0]     issue_o,
  output wire [CONTEXTS*TOTAL_W-1:0] issued_o,
  output wire [CONTEXTS*STEP_W-1:0]  timestep_o,
  output wire [CONTEXTS*TIME_W-1:0]  lockstep_o,
  output wire [CONTEXTS*TIME_W-1:0]  release_o,
  output wire [CONTEXTS*2-1:0]   table_corrected_o,  // parts of the leaving line in which a bit was corrected
  output wire [CONTEXTS-1:0]     table_wrong_o,
  output wire                    busy_o,      // the port needs its clock in the next cycle
  output wire                    overflow_o
);
  localparam [1:0] OP_ADD = 2'd1;

  // The entry that issues.
  wire                 issue, pop, pass, place;
  wire [ENTRY_W-1:0]   entry;
  wire [1:0]           op = entry[`COPPICE_OP_W-1:0];
  wire [TAGGED_W-1:0]  flow;
  wire [ADDR_W-1:0]    address = entry[`COPPICE_ENTRY_ADDR_AT+:ADDR_W];  // relative to the collective's buffer
  wire [ADDR_W-1:0]    source_address;  // the address in memory
  wire [LEN_W-1:0]     words = entry[`COPPICE_ENTRY_WORDS_AT+:LEN_W];
  wire [LEN_W-1:0]     total = entry[`COPPICE_ENTRY_TOTAL_AT+:LEN_W];
  wire [PACKETS_W-1:0] packets = entry[`COPPICE_ENTRY_PACKETS_AT+:PACKETS_W];
  wire [ROUTE_W-1:0]   route = entry[`COPPICE_ENTRY_ROUTE_AT+:ROUTE_W];
  // The arriving flit. In a head, the context replaces the id, and the address in memory replaces the relative one.
  wire [FLIT_W-1:0]    flit_in;
  wire                 message_ends;
  assign issue = |issue_o;

  genvar c;
  generate
    if (CONTEXTS == 1) begin : g_one
      localparam [1:0] OP_NOP = 2'd2;
      wire               entry_valid, hold, nop;
      wire               above;
      wire [COUNT_W-1:0]   dependencies = entry[`COPPICE_ENTRY_COUNT_AT+:COUNT_W];
      wire [STEP_W-1:0]    step = entry[`COPPICE_ENTRY_STEP_AT+:STEP_W];
      wire [FLITS_W-1:0]   flits = entry[`COPPICE_ENTRY_FLITS_AT+:FLITS_W];
      assign flow = entry[`COPPICE_ENTRY_FLOW_AT+:FLOW_W];
      wire absorbs = above && op != OP_NOP;
      assign source_address = address;
      assign pop = issue || nop;

      schedule_table #(
        .ENTRY_W(ENTRY_W), .ENTRIES(ENTRIES), .INDEX_W(INDEX_W), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W), .FLOW_W(FLOW_W),
        .COUNT_W(COUNT_W), .STEP_W(STEP_W), .ADDR_W(ADDR_W), .FLITS_W(FLITS_W),
        .FLITS_AT(`COPPICE_ENTRY_FLITS_AT), .ECC(ECC), .GATES(GATES)
      ) i_table (
        .clk_i(clk_i), .rst_ni(rst_ni), .load_valid_i(load_valid_i), .load_index_i(load_index_i),
        .load_line_i(load_line_i), .start_i(start_i), .first_i(start_i), .lines_i(lines_i),
        .count_i(count_i), .flow_stride_i(flow_stride_i), .address_stride_i(address_stride_i),
        .step_stride_i(step_stride_i), .absorbs_i(absorbs_i), .hold_i(1'b0), .pop_i(pop), .valid_o(entry_valid),
        .pass_o(pass), .entry_o(entry), .above_o(above),
        .issued_o(issued_o), .corrected_o(table_corrected_o), .wrong_o(table_wrong_o));
      wire counters_clk;
      clock_gate #(.GATES(GATES)) i_counters_gate (.clk_i(clk_i), .enable_i(!rst_ni || start_i || pop), .clk_o(counters_clk));
      timestep_counter #(.STEP_W(STEP_W)) i_timestep (
        .clk_i(counters_clk), .rst_ni(rst_ni), .reset_i(start_i), .advance_i(pop), .step_i(step), .value_o(timestep_o));
      lockstep_counter #(.TIME_W(TIME_W)) i_lockstep (
        .clk_i(counters_clk), .rst_ni(rst_ni), .now_i(now_i), .load_i(pop && lockstep_i),
        .duration_i({{(TIME_W - FLITS_W){1'b0}}, flits}),
        .absorbed_i(absorbs ? {{(TIME_W - FLITS_W){1'b0}}, absorbs_i} : {TIME_W{1'b0}}),
        .hold_o(hold), .release_o(release_o), .value_o(lockstep_o));
      assign query_flow_o = flow;
      assign query_dependencies_o = dependencies;
      command_decoder i_decoder (
        .valid_i(entry_valid), .pass_i(pass), .nop_i(op == OP_NOP), .lockstep_i(lockstep_i), .hold_i(hold),
        .satisfied_i(satisfied_i), .place_i(place), .state_o(state_o), .issue_o(issue_o), .nop_o(nop));
      assign flit_in = flit_i;
      assign ended_o = !entry_valid;
      assign left_o = flit_valid_o && message_ends;
      assign stray_o = 1'b0;
      wire unused = &{1'b0, commit_i, open_i, active_i, fresh_i, done_i, place_i, id_i, base_i, priority_i, order_i};
    end else begin : g_several
      wire [CONTEXTS-1:0]         request, busy;
      wire [CONTEXTS*ENTRY_W-1:0] entries;
      assign pop = |busy;  // an entry leaves or a line is skipped
      assign pass = 1'b0;
      for (c = 0; c < CONTEXTS; c = c + 1) begin : g_context
        port_context #(
          .ENTRIES(ENTRIES), .INDEX_W(INDEX_W), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W), .TIME_W(TIME_W), .FLOW_W(FLOW_W),
          .COUNT_W(COUNT_W), .STEP_W(STEP_W), .ADDR_W(ADDR_W), .LEN_W(LEN_W), .FLITS_W(FLITS_W), .PACKETS_W(PACKETS_W),
          .ROUTE_W(ROUTE_W), .ECC(ECC), .GATES(GATES)
        ) i_context (
          .clk_i(clk_i), .rst_ni(rst_ni), .now_i(now_i), .lockstep_i(lockstep_i), .absorbs_i(absorbs_i),
          .flow_stride_i(flow_stride_i[c*FLOW_W+:FLOW_W]), .address_stride_i(address_stride_i[c*ADDR_W+:ADDR_W]),
          .step_stride_i(step_stride_i[c*STEP_W+:STEP_W]), .load_valid_i(load_valid_i[c]), .load_index_i(load_index_i),
          .load_line_i(load_line_i), .commit_i(commit_i[c]), .lines_i(lines_i), .count_i(count_i), .active_i(active_i[c]),
          .clear_i(done_i[c]), .place_i(place), .satisfied_i(satisfied_i[c]), .grant_i(issue_o[c]),
          .query_flow_o(query_flow_o[c*FLOW_W+:FLOW_W]), .query_dependencies_o(query_dependencies_o[c*COUNT_W+:COUNT_W]),
          .request_o(request[c]), .entry_o(entries[c*ENTRY_W+:ENTRY_W]), .ended_o(ended_o[c]), .state_o(state_o[c*3+:3]),
          .issued_o(issued_o[c*TOTAL_W+:TOTAL_W]), .timestep_o(timestep_o[c*STEP_W+:STEP_W]),
          .lockstep_o(lockstep_o[c*TIME_W+:TIME_W]), .release_o(release_o[c*TIME_W+:TIME_W]), .corrected_o(table_corrected_o[c*2+:2]),
          .wrong_o(table_wrong_o[c]), .busy_o(busy[c]));
      end
      context_arbiter #(.CONTEXTS(CONTEXTS), .CONTEXT_W(CONTEXT_W), .PRIORITY_W(PRIORITY_W)) i_arbiter (
        .clk_i(clk_i), .rst_ni(rst_ni), .order_i(order_i), .request_i(request), .fresh_i(fresh_i), .place_i(place_i),
        .priority_i(priority_i), .done_i(done_i), .grant_o(issue_o));

      // Selects the entry of the context that the arbiter chose.
      reg [ENTRY_W-1:0] chosen;
      reg [ID_W-1:0]    id;
      reg [ADDR_W-1:0]  base;
      integer n;
      always @* begin
        chosen = {ENTRY_W{1'b0}};
        id = {ID_W{1'b0}};
        base = {ADDR_W{1'b0}};
        for (n = 0; n < CONTEXTS; n = n + 1) begin
          chosen = chosen | (entries[n*ENTRY_W+:ENTRY_W] & {ENTRY_W{issue_o[n]}});
          id = id | (id_i[n*ID_W+:ID_W] & {ID_W{issue_o[n]}});
          base = base | (base_i[n*ADDR_W+:ADDR_W] & {ADDR_W{issue_o[n]}});
        end
      end
      assign entry = chosen;
      assign flow = {id, entry[`COPPICE_ENTRY_FLOW_AT+:FLOW_W]};
      assign source_address = base + address;

      // The contexts of the two messages in the packetizer, one-hot: first the one being sent, then the next.
      reg [CONTEXTS-1:0] first_q, second_q;
      wire leaves = flit_valid_o && message_ends;
      assign left_o = first_q & {CONTEXTS{leaves}};
      wire [CONTEXTS-1:0] kept = leaves ? second_q : first_q;
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          first_q <= {CONTEXTS{1'b0}};
          second_q <= {CONTEXTS{1'b0}};
        end else begin
          first_q <= |kept ? kept : issue_o;
          second_q <= |kept ? (leaves ? issue_o : second_q | issue_o) : {CONTEXTS{1'b0}};
        end
      end

      // In a head, replaces the collective's id with its context, and the relative address with the address in memory.
      localparam ADDR_AT = `COPPICE_HEAD_FLOW_AT + TAGGED_W;
      reg [ID_W-1:0]   context_in;
      reg [ADDR_W-1:0] base_in;
      reg              known;
      always @* begin
        context_in = {ID_W{1'b0}};
        base_in = {ADDR_W{1'b0}};
        known = 1'b0;
        for (n = 0; n < CONTEXTS; n = n + 1) begin
          if (open_i[n] && id_i[n*ID_W+:ID_W] == flit_i[1+FLOW_W+:ID_W]) begin
            context_in = context_in | n[ID_W-1:0];
            base_in = base_in | base_i[n*ADDR_W+:ADDR_W];
            known = 1'b1;
          end
        end
      end
      wire [ADDR_W-1:0] address_in = flit_i[ADDR_AT+:ADDR_W] + base_in;
      assign flit_in = flit_head_i ?
        {flit_i[FLIT_W-1:ADDR_AT+ADDR_W], address_in, context_in, flit_i[FLOW_W:0]} : flit_i;
      assign stray_o = |flit_valid_i && flit_head_i && !known;
      wire unused = &{1'b0, start_i, entry};
    end
  endgenerate

  // The buffer between DMA and injection. A slot is reserved with each request, so requested data always finds one.
  wire               data_empty, data_taken, address_busy, request;
  wire [FLIT_W-1:0]  data;
  reg  [BUFFER_W:0]  asked_q;
  wire asked_room = !asked_q[BUFFER_W];
  wire dma_clk, asks;
  clock_gate #(.GATES(GATES)) i_dma_gate (
    .clk_i(clk_i), .enable_i(!rst_ni || issue || asks || dma_data_valid_i || data_taken), .clk_o(dma_clk));
  dma_address_generator #(.ADDR_W(ADDR_W), .LEN_W(LEN_W), .LANES(LANES)) i_dma (
    .clk_i(dma_clk), .rst_ni(rst_ni), .push_i(issue), .address_i(source_address), .words_i(words),
    .req_valid_o(request), .req_address_o(dma_address_o), .req_lanes_o(dma_lanes_o),
    .req_ready_i(asked_room && !dma_conflict_i), .next_o(dma_next_o), .next_address_o(dma_next_address_o),
    .next_lanes_o(dma_next_lanes_o), .busy_o(address_busy));
  assign dma_valid_o = request && asked_room;
  assign asks = dma_valid_o && !dma_conflict_i;
  wire data_full;
  wire [BUFFER_W:0] data_count;
  fifo #(.WIDTH(FLIT_W), .DEPTH(BUFFER), .ADDR_W(BUFFER_W)) i_buffer (
    .clk_i(dma_clk), .rst_ni(rst_ni), .push_i(dma_data_valid_i), .data_i(dma_data_i), .pop_i(data_taken),
    .data_o(data), .empty_o(data_empty), .full_o(data_full), .count_o(data_count));
  always @(posedge dma_clk) begin
    if (!rst_ni) asked_q <= {(BUFFER_W + 1){1'b0}};
    else if (asks && !data_taken) asked_q <= asked_q + 1'b1;
    else if (!asks && data_taken) asked_q <= asked_q - 1'b1;
  end

  wire packet_valid, packet_room, packet_busy;
  packetizer #(
    .FLIT_W(FLIT_W), .LANES(LANES), .LATENCY_W(BUFFER_W), .FLOW_W(TAGGED_W), .ADDR_W(ADDR_W), .LEN_W(LEN_W),
    .PACKETS_W(PACKETS_W), .SOURCE_W(SOURCE_W), .ROUTE_W(ROUTE_W), .GATES(GATES)
  ) i_packetizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .source_i(source_i), .payload_words_i(payload_words_i),
    .push_i(issue), .latency_i(dma_latency_i[BUFFER_W-1:0]), .add_i(op == OP_ADD), .flow_i(flow),
    .address_i(address), .words_i(words), .total_i(total), .packets_i(packets), .route_i(route),
    .place_o(place), .data_valid_i(!data_empty), .data_i(data), .data_taken_o(data_taken),
    .valid_o(packet_valid), .head_o(flit_head_o), .tail_o(flit_tail_o), .last_o(message_ends),
    .flit_o(flit_o), .taken_i(packet_room), .busy_o(packet_busy));
  injection_port #(.VCS(VCS), .VC_W(VC_W), .CREDIT_W(CREDIT_W), .GATES(GATES)) i_injection (
    .clk_i(clk_i), .rst_ni(rst_ni), .load_i(take_credits_i), .credits_i(credits_i), .credit_i(credit_i),
    .flit_valid_i(packet_valid), .flit_head_i(flit_head_o), .room_o(packet_room),
    .flit_taken_o(flit_valid_o), .vc_o(flit_vc_o));

  wire pending_overflow;
  depacketizer #(
    .FLIT_W(FLIT_W), .LANES(LANES), .VCS(VCS), .FLOW_W(TAGGED_W), .ADDR_W(ADDR_W), .LEN_W(LEN_W),
    .PACKETS_W(PACKETS_W), .TAG_W(`COPPICE_TAG_W), .GATES(GATES)
  ) i_depacketizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(flit_valid_i), .head_i(flit_head_i),
    .tail_i(flit_tail_i), .flit_i(flit_in), .data_valid_o(data_valid_o), .data_add_o(data_add_o),
    .data_address_o(data_address_o), .data_lanes_o(data_lanes_o), .data_vc_o(data_vc_o),
    .vc_address_o(vc_address_o), .vc_lanes_o(vc_lanes_o), .data_o(data_o), .arrived_o(arrived_o),
    .arrived_add_o(arrived_add_o), .arrived_store_o(arrived_store_o), .arrived_flow_o(arrived_flow_o), .overflow_o(pending_overflow));

  assign busy_o = packet_busy || address_busy || pop || pass;
  assign overflow_o = pending_overflow;

  // These signals are unused: requests reserve slots, so the buffer is never full; the packetizer's state shows the end
  // of a message; and the upper bits of the latency are 0 because it is below BUFFER.
  wire unused = &{1'b0, data_full, data_count, message_ends, dma_latency_i};
endmodule
`default_nettype wire

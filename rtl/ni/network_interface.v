// The network interface, which executes reduce-schedule tables. It consists of PORTS ports (ni_port), a dependency
// tracker per context and a shared reduction unit. payload_words_i selects message-based or packet-based flow control.
//
// Timing, which also holds for ni::NetworkInterface and fabric::InjectionPort: an entry whose conditions are met in
// cycle c issues in c; each port issues at most one entry per cycle. The entry's head flit leaves at c + dma_latency_i
// at the earliest, and packets and messages follow each other without gaps. A message whose tail arrives in cycle c
// counts as arrived from c + 1 on if it is stored, and from c + 4 on if it is added: its sums are written in c + 4 and
// can be read from c + 5 on. Credits can be used in the cycle in which they arrive. The credit of an ejected flit is
// returned in the flit's arrival cycle, or later if the reduction unit's queue might otherwise overflow (see
// credit_return). Injection credits are loaded at the first start after a reset.
//
// While busy_o is 0, the clock may be gated until a flit or credit arrives, or until now_i reaches the release_o of a
// port whose state_o is 1 (waiting for the lockstep). now_i must not stop.
//
// With several CONTEXTS, each context holds one collective with its own tables, counters and dependencies, and
// completes independently (see contexts.v). Load a context's tables with load_valid_i while the context is not running,
// then commit them at least one cycle after loading line 0. open_i assigns a collective to the context. The
// collective's id, buffer, priority and strides must then remain at the inputs until the collective is done, and no
// other open context may have the same id. start_i runs the collective; it may be set in the cycle of open_i or later,
// but at least one cycle after the commit. A context keeps its tables, so the same collective can be opened again
// without reloading them. In vectors, context 0 occupies the lowest bits.
//
// Limits: flow numbers are below FLOWS, times are modulo 2^TIME_W, a packet's payload is a whole number of flits, and
// every channel of a message's route transports one flit per cycle.
`include "../ni/coppice_layout.vh"
`default_nettype none
module network_interface #(
  parameter PORTS = 4,       // at least 1
  parameter FLIT_W = 128,    // flit width
  parameter LANES = 4,       // words per flit, FLIT_W / 32, a power of two, at least 2
  parameter VCS = 4,         // virtual channels, at least 2
  parameter VC_W = 2,        // log2(VCS), rounded up
  parameter CREDIT_W = 10,   // width of a credit count
  parameter ENTRIES = 256,   // lines per port table, a power of two
  parameter INDEX_W = 8,     // log2(ENTRIES)
  parameter ITER_W = 10,     // width of an iteration count
  parameter TOTAL_W = 16,    // width of the number of entries in all iterations
  parameter TIME_W = 32,     // width of the cycle counter
  parameter FLOWS = 64,      // flows, at most 2^FLOW_W
  parameter FLOW_W = 10,
  parameter COUNT_W = 10,    // width of an arrival count
  parameter STEP_W = 16,
  parameter ADDR_W = 24,     // width of an address, in words of 4 bytes
  parameter LEN_W = 20,      // width of a message length, in words
  parameter FLITS_W = 24,    // width of a message length, in flits
  parameter PACKETS_W = 14,  // width of a message length, in packets
  parameter SOURCE_W = 10,   // width of a port's system-wide number
  parameter ROUTE_W = 42,    // width of a source route; the complete head must fit into a flit
  parameter BUFFER = 16,     // flits between DMA and injection, a power of two above the DMA latency
  parameter BUFFER_W = 4,    // log2(BUFFER)
  parameter QUEUE = 16,      // flits per port that may wait for the reduction unit, a power of two
  parameter QUEUE_W = 4,     // log2(QUEUE)
  parameter CONTEXTS = 1,    // number of collectives that may be active at once, at least 1
  parameter CONTEXT_W = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1,
  parameter ID_W = 5,        // width of a collective's id in a head flit, at least CONTEXT_W; unused with one context
  parameter ARRIVALS_W = 16, // width of a collective's arrival count
  parameter PRIORITY_W = 8,  // width of a collective's priority
  parameter WAITS = 0,       // 1: sums and stores wait for memory_ready_i
  parameter ECC = 0,         // 1: tables correct single-bit errors in a line and report double-bit errors
  parameter GATES = 0,       // 1: gates the clocks of idle blocks, without changing any output
  parameter EJECT_CREDITS = 3,  // ejection credits per virtual channel; keep VCS * EJECT_CREDITS below QUEUE
  parameter ENTRY_W = `COPPICE_ENTRY_W,
  parameter LINE_W = ENTRY_W + 2 * ITER_W
) (
  input  wire                      clk_i,
  input  wire                      rst_ni,
  input  wire [TIME_W-1:0]         now_i,            // free-running cycle counter
  // Configuration; must not change while messages are being sent or received.
  input  wire [1:0]                type_i,           // element type; 0: fp32, 1: bf16, 2: int32
  input  wire                      lockstep_i,
  input  wire [FLITS_W-1:0]        absorbs_i,
  input  wire [TIME_W-1:0]         dma_latency_i,    // cycles from issue to head flit, 2 to BUFFER - 2
  input  wire [LEN_W-1:0]          payload_words_i,  // words per packet; 2^LEN_W - 4 for message-based flow control
  input  wire [CONTEXTS*FLOW_W-1:0] flow_stride_i,  // per context: strides between iterations of the tables
  input  wire [CONTEXTS*ADDR_W-1:0] address_stride_i,
  input  wire [CONTEXTS*STEP_W-1:0] step_stride_i,
  input  wire [PORTS*SOURCE_W-1:0] source_i,
  input  wire [VCS*CREDIT_W-1:0]   credits_i,  // initial credits: slots per virtual channel of a router input
  // Tables are loaded line by line; one start_i then starts the tables of all ports.
  input  wire [PORTS*CONTEXTS-1:0] load_valid_i,     // one bit per [port][context]
  input  wire [INDEX_W-1:0]        load_index_i,
  input  wire [LINE_W-1:0]         load_line_i,
  input  wire [CONTEXTS-1:0]       start_i,
  // Lines per iteration of each table; valid with start_i or, with several contexts, with commit_i.
  input  wire [PORTS*(INDEX_W+1)-1:0] lines_i,
  input  wire [PORTS*TOTAL_W-1:0]  count_i,          // entries of each table in all iterations; valid with lines_i
  // Inputs that are used only if there are several contexts.
  input  wire [CONTEXTS-1:0]       commit_i,
  input  wire [CONTEXTS-1:0]       open_i,
  input  wire [CONTEXTS*ID_W-1:0]  id_i,  // constant while the context is open, as are strides, base_i and priority_i
  input  wire [CONTEXTS*ADDR_W-1:0] base_i,          // word address of the collective's buffer
  input  wire [CONTEXTS*PRIORITY_W-1:0] priority_i,  // signed; higher priorities are served first
  input  wire [CONTEXTS*ARRIVALS_W-1:0] arrivals_i,  // messages that the collective expects; valid with open_i
  input  wire [CONTEXTS*CONTEXT_W-1:0] turn_i,  // number of contexts that start in the same cycle but before this one
  input  wire [1:0]                order_i,  // policy of the context_arbiters; constant while a context runs
  // Gradient buffer: reads by the DMA, then reads, sums and stores by the reduction unit.
  output wire [PORTS-1:0]          dma_valid_o,
  output wire [PORTS*ADDR_W-1:0]   dma_address_o,
  output wire [PORTS*LANES-1:0]    dma_lanes_o,      // lanes whose words are needed, always including lane 0
  input  wire [PORTS-1:0]          dma_data_valid_i,
  input  wire [PORTS*FLIT_W-1:0]   dma_data_i,
  output wire [PORTS-1:0]          read_valid_o,
  output wire [PORTS*ADDR_W-1:0]   read_address_o,
  input  wire [PORTS*FLIT_W-1:0]   read_data_i,
  output wire [PORTS-1:0]          sum_valid_o,
  output wire [PORTS*ADDR_W-1:0]   sum_address_o,
  output wire [PORTS*LANES-1:0]    sum_lanes_o,
  output wire [PORTS*FLIT_W-1:0]   sum_data_o,
  output wire [PORTS-1:0]          store_valid_o,
  output wire [PORTS*ADDR_W-1:0]   store_address_o,
  output wire [PORTS*LANES-1:0]    store_lanes_o,
  output wire [PORTS*FLIT_W-1:0]   store_data_o,
  // For memories of variable latency: flits that arrive at the reduction unit, and the ports whose oldest waiting flit
  // the memory can serve.
  output wire [PORTS-1:0]          coming_valid_o,
  output wire [PORTS-1:0]          coming_add_o,
  output wire [PORTS*ADDR_W-1:0]   coming_address_o,
  output wire [PORTS*LANES-1:0]    coming_lanes_o,
  input  wire [PORTS-1:0]          memory_ready_i,   // ignored unless WAITS is 1
  // Injection channels.
  output wire [PORTS-1:0]          flit_valid_o,
  output wire [PORTS*VC_W-1:0]     flit_vc_o,
  output wire [PORTS-1:0]          flit_head_o,
  output wire [PORTS-1:0]          flit_tail_o,
  output wire [PORTS*FLIT_W-1:0]   flit_o,
  input  wire [PORTS*VCS-1:0]      credit_i,
  // Ejection channels.
  input  wire [PORTS*VCS-1:0]      flit_valid_i,  // [port][virtual channel]: a flit arrives; at most one per port
  input  wire [PORTS-1:0]          flit_head_i,
  input  wire [PORTS-1:0]          flit_tail_i,
  input  wire [PORTS*FLIT_W-1:0]   flit_i,
  output wire [PORTS*VCS-1:0]      credit_o,
  // With several contexts: the last cycle of a collective. The context is free in the next cycle, in which the
  // collective's last sums are still being written.
  output wire [CONTEXTS-1:0]       done_o,
  // For observers and clock gating; one element per [port][context].
  output wire [PORTS*CONTEXTS*3-1:0] state_o,        // encoded as ni::DecoderState
  output wire [PORTS*CONTEXTS-1:0] issue_o,
  output wire [PORTS*CONTEXTS*TOTAL_W-1:0] issued_o,
  output wire [PORTS*CONTEXTS*STEP_W-1:0]  timestep_o,
  output wire [PORTS*CONTEXTS*TIME_W-1:0]  lockstep_o,
  output wire [PORTS*CONTEXTS*TIME_W-1:0]  release_o,
  output wire [PORTS-1:0]          arrived_o,        // the last tail of a message arrived
  output wire [PORTS*CONTEXTS*2-1:0] table_corrected_o,  // parts of a leaving line in which a bit was corrected
  output wire                      table_wrong_o,    // an entry at the head of a table differs from the one loaded
  output wire                      busy_o,
  output wire                      stray_o,          // a head flit of a collective without an open context arrived
  // Losses. Bit 0: the reduction unit lost a flit; bit 1: a depacketizer lost a message.
  output wire [1:0]                overflow_o
);
  localparam TAGGED_W = CONTEXTS > 1 ? ID_W + FLOW_W : FLOW_W;  // width of a flow with its context
  localparam EVENTS = 2 * PORTS;                                // arrivals that can occur in one cycle

  wire [PORTS*CONTEXTS*FLOW_W-1:0]  query_flow;
  wire [PORTS*TAGGED_W-1:0]         arrived_flow;
  wire [PORTS*CONTEXTS*COUNT_W-1:0] query_dependencies;
  wire [PORTS*CONTEXTS-1:0]         satisfied, ended, left;
  wire [CONTEXTS-1:0]               open, active, fresh, done;
  wire [CONTEXTS*CONTEXT_W-1:0]     place;
  wire [PORTS-1:0]         stray;
  wire [PORTS*CONTEXTS-1:0] table_wrong;
  wire [PORTS-1:0]         conflict, dma_request, dma_next;
  wire [PORTS*ADDR_W-1:0]  dma_next_address;
  wire [PORTS*LANES-1:0]   dma_next_lanes;
  wire [PORTS-1:0]         data_valid, data_add, arrived, arrived_add, arrived_store, port_busy, port_overflow;
  wire [PORTS*ADDR_W-1:0]  data_address;
  wire [PORTS*LANES-1:0]   data_lanes;
  wire [PORTS*VCS-1:0]     data_vc;
  wire [PORTS*VCS*ADDR_W-1:0] vc_address;
  wire [PORTS*VCS*LANES-1:0]  vc_lanes;
  wire [PORTS*FLIT_W-1:0]  data;
  wire                     reduction_busy, reduction_overflow;
  wire [PORTS*(QUEUE_W+1)-1:0] waiting;
  wire [PORTS-1:0]         owes;
  // Set by the first start after a reset, which loads the credits. Later starts do not, because the router may then
  // hold flits.
  reg                      started_q;

  assign dma_valid_o = dma_request & ~conflict;
  assign coming_valid_o = data_valid;
  assign coming_add_o = data_add;
  assign coming_address_o = data_address;
  assign coming_lanes_o = data_lanes;

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      ni_port #(
        .FLIT_W(FLIT_W), .LANES(LANES), .VCS(VCS), .VC_W(VC_W), .CREDIT_W(CREDIT_W), .ENTRIES(ENTRIES),
        .INDEX_W(INDEX_W), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W), .TIME_W(TIME_W), .FLOW_W(FLOW_W), .COUNT_W(COUNT_W), .STEP_W(STEP_W),
        .ADDR_W(ADDR_W), .LEN_W(LEN_W), .FLITS_W(FLITS_W), .PACKETS_W(PACKETS_W), .SOURCE_W(SOURCE_W),
        .ROUTE_W(ROUTE_W), .BUFFER(BUFFER), .BUFFER_W(BUFFER_W), .CONTEXTS(CONTEXTS), .CONTEXT_W(CONTEXT_W), .ID_W(ID_W),
        .PRIORITY_W(PRIORITY_W), .ECC(ECC), .GATES(GATES)
      ) i_port (
        .clk_i(clk_i), .rst_ni(rst_ni), .now_i(now_i), .lockstep_i(lockstep_i), .absorbs_i(absorbs_i),
        .dma_latency_i(dma_latency_i), .payload_words_i(payload_words_i),
        .flow_stride_i(flow_stride_i), .address_stride_i(address_stride_i), .step_stride_i(step_stride_i),
        .source_i(source_i[p*SOURCE_W+:SOURCE_W]), .credits_i(credits_i),
        .load_valid_i(load_valid_i[p*CONTEXTS+:CONTEXTS]), .load_index_i(load_index_i), .load_line_i(load_line_i),
        .start_i(start_i[0]), .take_credits_i(takes_credits),
        .lines_i(lines_i[p*(INDEX_W+1)+:INDEX_W+1]), .count_i(count_i[p*TOTAL_W+:TOTAL_W]),
        .commit_i(commit_i), .open_i(open), .active_i(active), .fresh_i(fresh), .done_i(done), .place_i(place), .id_i(id_i),
        .base_i(base_i), .priority_i(priority_i), .order_i(order_i), .ended_o(ended[p*CONTEXTS+:CONTEXTS]),
        .left_o(left[p*CONTEXTS+:CONTEXTS]), .stray_o(stray[p]),
        .query_flow_o(query_flow[p*CONTEXTS*FLOW_W+:CONTEXTS*FLOW_W]),
        .query_dependencies_o(query_dependencies[p*CONTEXTS*COUNT_W+:CONTEXTS*COUNT_W]),
        .satisfied_i(satisfied[p*CONTEXTS+:CONTEXTS]),
        .dma_valid_o(dma_request[p]), .dma_address_o(dma_address_o[p*ADDR_W+:ADDR_W]),
        .dma_lanes_o(dma_lanes_o[p*LANES+:LANES]),
        .dma_next_o(dma_next[p]), .dma_next_address_o(dma_next_address[p*ADDR_W+:ADDR_W]),
        .dma_next_lanes_o(dma_next_lanes[p*LANES+:LANES]), .dma_conflict_i(conflict[p]), .dma_data_valid_i(dma_data_valid_i[p]),
        .dma_data_i(dma_data_i[p*FLIT_W+:FLIT_W]), .flit_valid_o(flit_valid_o[p]),
        .flit_vc_o(flit_vc_o[p*VC_W+:VC_W]), .flit_head_o(flit_head_o[p]), .flit_tail_o(flit_tail_o[p]),
        .flit_o(flit_o[p*FLIT_W+:FLIT_W]), .credit_i(credit_i[p*VCS+:VCS]), .flit_valid_i(flit_valid_i[p*VCS+:VCS]),
        .flit_head_i(flit_head_i[p]), .flit_tail_i(flit_tail_i[p]),
        .flit_i(flit_i[p*FLIT_W+:FLIT_W]), .data_valid_o(data_valid[p]), .data_add_o(data_add[p]),
        .data_address_o(data_address[p*ADDR_W+:ADDR_W]), .data_lanes_o(data_lanes[p*LANES+:LANES]),
        .data_vc_o(data_vc[p*VCS+:VCS]), .vc_address_o(vc_address[p*VCS*ADDR_W+:VCS*ADDR_W]),
        .vc_lanes_o(vc_lanes[p*VCS*LANES+:VCS*LANES]), .data_o(data[p*FLIT_W+:FLIT_W]), .arrived_o(arrived[p]), .arrived_add_o(arrived_add[p]), .arrived_store_o(arrived_store[p]),
        .arrived_flow_o(arrived_flow[p*TAGGED_W+:TAGGED_W]), .state_o(state_o[p*CONTEXTS*3+:CONTEXTS*3]),
        .issue_o(issue_o[p*CONTEXTS+:CONTEXTS]), .issued_o(issued_o[p*CONTEXTS*TOTAL_W+:CONTEXTS*TOTAL_W]),
        .timestep_o(timestep_o[p*CONTEXTS*STEP_W+:CONTEXTS*STEP_W]),
        .lockstep_o(lockstep_o[p*CONTEXTS*TIME_W+:CONTEXTS*TIME_W]),
        .release_o(release_o[p*CONTEXTS*TIME_W+:CONTEXTS*TIME_W]),
        .table_corrected_o(table_corrected_o[p*CONTEXTS*2+:CONTEXTS*2]), .table_wrong_o(table_wrong[p*CONTEXTS+:CONTEXTS]),
        .busy_o(port_busy[p]), .overflow_o(port_overflow[p]));
      credit_return #(
        .VCS(VCS), .VC_W(VC_W), .CREDITS(EJECT_CREDITS), .QUEUE(QUEUE), .QUEUE_W(QUEUE_W), .GATES(GATES)
      ) i_credits (
        .clk_i(clk_i), .rst_ni(rst_ni), .flit_valid_i(flit_valid_i[p*VCS+:VCS]),
        .waiting_i(waiting[p*(QUEUE_W+1)+:QUEUE_W+1]), .credit_o(credit_o[p*VCS+:VCS]), .owes_o(owes[p]));
    end
  endgenerate

  reduction_unit #(
    .PORTS(PORTS), .FLIT_W(FLIT_W), .LANES(LANES), .ADDR_W(ADDR_W), .QUEUE(QUEUE), .QUEUE_W(QUEUE_W), .WAITS(WAITS),
    .VCS(VCS), .GATES(GATES)
  ) i_reduction (
    .clk_i(clk_i), .rst_ni(rst_ni), .type_i(type_i), .valid_i(data_valid), .add_i(data_add),
    .vc_i(data_vc), .address_i(vc_address), .lanes_i(vc_lanes), .data_i(data), .ready_i(memory_ready_i), .read_valid_o(read_valid_o),
    .read_address_o(read_address_o), .read_data_i(read_data_i), .sum_valid_o(sum_valid_o),
    .sum_address_o(sum_address_o), .sum_lanes_o(sum_lanes_o), .sum_data_o(sum_data_o),
    .store_valid_o(store_valid_o), .store_address_o(store_address_o), .store_lanes_o(store_lanes_o),
    .store_data_o(store_data_o), .dma_valid_i(dma_request), .dma_next_i(dma_next), .dma_next_address_i(dma_next_address),
    .dma_next_lanes_i(dma_next_lanes), .dma_conflict_o(conflict), .waiting_o(waiting), .busy_o(reduction_busy),
    .overflow_o(reduction_overflow));

  // A stored message counts as arrived at once, and an added message when its last sums are written.
  reg [PORTS-1:0]        added1_q, added2_q, added3_q;
  reg [PORTS*TAGGED_W-1:0] flow1_q, flow2_q, flow3_q;
  wire takes_credits = |start_i && !started_q;
  always @(posedge clk_i) begin
    if (!rst_ni) started_q <= 1'b0;
    else if (|start_i) started_q <= 1'b1;
  end
  wire [PORTS-1:0] adds = arrived & arrived_add;
  reg  [PORTS*TAGGED_W-1:0] added_flow;  // 0 for a port at which no added message arrived
  integer a;
  always @* for (a = 0; a < PORTS; a = a + 1)
    added_flow[a*TAGGED_W+:TAGGED_W] = arrived_flow[a*TAGGED_W+:TAGGED_W] & {TAGGED_W{adds[a]}};
  wire added_clk;
  clock_gate #(.GATES(GATES)) i_added_gate (
    .clk_i(clk_i), .enable_i(!rst_ni || |{adds, added1_q, added2_q, added3_q}), .clk_o(added_clk));
  always @(posedge added_clk) begin
    if (!rst_ni) begin
      added1_q <= {PORTS{1'b0}};
      added2_q <= {PORTS{1'b0}};
      added3_q <= {PORTS{1'b0}};
    end else begin
      added1_q <= adds;
      added2_q <= added1_q;
      added3_q <= added2_q;
    end
    flow1_q <= added_flow;
    flow2_q <= flow1_q;
    flow3_q <= flow2_q;
  end
  wire [EVENTS-1:0]          event_valid = {added3_q, arrived_store};
  wire [EVENTS*TAGGED_W-1:0] event_flow = {flow3_q, arrived_flow};

  genvar c, e;
  generate
    if (CONTEXTS == 1) begin : g_one
      dependency_tracker #(
        .FLOWS(FLOWS), .FLOW_W(FLOW_W), .COUNT_W(COUNT_W), .EVENTS(EVENTS), .LATE(PORTS), .QUERIES(PORTS), .GATES(GATES)
      ) i_tracker (
        .clk_i(clk_i), .rst_ni(rst_ni), .reset_i(start_i), .arrived_i(event_valid), .arrived_flow_i(event_flow),
        .query_flow_i(query_flow), .dependencies_i(query_dependencies), .satisfied_o(satisfied));
      assign open = 1'b1;
      assign active = 1'b1;
      assign fresh = 1'b0;
      assign done = 1'b0;
      assign place = {CONTEXT_W{1'b0}};
      wire unused = &{1'b0, open_i, arrivals_i, turn_i, ended, left};
    end else begin : g_several
      wire [EVENTS*CONTEXTS-1:0] event_of;  // one bit per [event][context]
      for (e = 0; e < EVENTS; e = e + 1) begin : g_event
        for (c = 0; c < CONTEXTS; c = c + 1) begin : g_context
          localparam [ID_W-1:0] CONTEXT = c;
          assign event_of[e*CONTEXTS+c] = event_valid[e] && event_flow[e*TAGGED_W+FLOW_W+:ID_W] == CONTEXT;
        end
      end
      for (c = 0; c < CONTEXTS; c = c + 1) begin : g_tracker
        wire [EVENTS-1:0]        mine;
        wire [EVENTS*FLOW_W-1:0] flow;
        wire [PORTS*FLOW_W-1:0]  asked_flow;
        wire [PORTS*COUNT_W-1:0] asked;
        wire [PORTS-1:0]         met;
        for (e = 0; e < EVENTS; e = e + 1) begin : g_event
          assign mine[e] = event_of[e*CONTEXTS+c];
          assign flow[e*FLOW_W+:FLOW_W] = event_flow[e*TAGGED_W+:FLOW_W];
        end
        for (e = 0; e < PORTS; e = e + 1) begin : g_port
          assign asked_flow[e*FLOW_W+:FLOW_W] = query_flow[(e*CONTEXTS+c)*FLOW_W+:FLOW_W];
          assign asked[e*COUNT_W+:COUNT_W] = query_dependencies[(e*CONTEXTS+c)*COUNT_W+:COUNT_W];
          assign satisfied[e*CONTEXTS+c] = met[e];
        end
        dependency_tracker #(
          .FLOWS(FLOWS), .FLOW_W(FLOW_W), .COUNT_W(COUNT_W), .EVENTS(EVENTS), .LATE(PORTS), .QUERIES(PORTS), .GATES(GATES)
        ) i_tracker (
          .clk_i(clk_i), .rst_ni(rst_ni), .reset_i(done[c]), .arrived_i(mine), .arrived_flow_i(flow),
          .query_flow_i(asked_flow), .dependencies_i(asked), .satisfied_o(met));
      end
      contexts #(
        .CONTEXTS(CONTEXTS), .CONTEXT_W(CONTEXT_W), .PORTS(PORTS), .EVENTS(EVENTS), .ARRIVALS_W(ARRIVALS_W)
      ) i_contexts (
        .clk_i(clk_i), .rst_ni(rst_ni), .open_i(open_i), .arrivals_i(arrivals_i), .start_i(start_i), .turn_i(turn_i),
        .ended_i(ended), .issue_i(issue_o), .left_i(left), .arrived_i(event_of), .open_o(open), .active_o(active),
        .fresh_o(fresh), .place_o(place), .done_o(done));
    end
  endgenerate
  assign done_o = done;
  assign stray_o = |stray;
  assign table_wrong_o = |table_wrong;

  assign arrived_o = arrived;
  assign busy_o = |{port_busy, reduction_busy, added1_q, added2_q, added3_q, data_valid, arrived, owes};
  assign overflow_o = {|port_overflow, reduction_overflow};
endmodule
`default_nettype wire

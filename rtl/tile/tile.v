// A tile: a router, a network interface, and the registers of the channels between them and to the links. Router ports
// 0 to LINKS - 1 lead to neighbours, and the next PORTS ports to the network interface. Flits and credits arriving from
// a link are registered, as are leaving credits; leaving flits come from the registers of the router's crossbar. Links
// can therefore connect the pins of two tiles directly, or delay flits and credits by whole cycles.
//
// Timing, which equals that of the model's nodes: a flit that wins the router's switch in cycle t is at the pins in t +
// 1 and, over a link without delay, in the neighbour's buffer in t + 2. Credits take as long. Injection takes two
// cycles for flits and for credits, and ejection three, counted from the cycle in which a flit wins the switch.
//
// To start a collective, load the tables line by line, then set start_i for one cycle together with lines_i, count_i
// and arrivals_i. No message of the collective may arrive before that. done_o becomes 1 once all entries have issued,
// arrivals_i messages have arrived and been written, and the network interface is idle. It remains 1 until the next
// start, which must not come earlier. Strides, tables and type must not change between start_i and done_o.
//
// The bits of error_o remain set until a reset. Bit 0: the reduction unit lost a flit, which cannot happen if
// neighbours respect their credits. Bit 1: a depacketizer had no free slot for a message. Bit 2, with PARITY: a link
// changed a flit; the parity of all signals of a flit, including parity_o or parity_i, is even. Bit 3, with ECC: a
// table entry differs from the one loaded. corrected_o counts the errors corrected in tables. With COUNTERS, counters_o
// contains the following counts since the start: busy cycles; flits sent over links, flits injected into the
// router, and flits ejected from it; and cycles in which an entry waited for the lockstep, for messages, and for a
// packetizer slot, summed over all ports.
//
// With WAITS, the memory may have any latency: connect it through rtl/memory/gradient_memory.v, and connect that
// module's busy_o to memory_busy_i. done_o then becomes 1 only when all data is in memory. Without WAITS, the tile has
// the same timing as the model in every cycle.
//
// The limits of network_interface.v apply. In addition, VCS is a power of two, and the buffers of all routers in the
// network hold at least CREDITS flits per virtual channel.
`include "../ni/coppice_layout.vh"
`default_nettype none
module tile #(
  parameter LINKS = 4,       // channels to and from neighbours
  parameter PORTS = 4,       // ports of the network interface
  parameter FLIT_W = 128,    // flit width, 32 times a power of two
  parameter VCS = 4,         // virtual channels, a power of two, at least 2
  parameter DEPTH = 16,      // capacity of a router buffer in flits, a power of two
  parameter CREDITS = 16,    // credits per virtual channel towards each router, at most DEPTH
  parameter ENTRIES = 256,   // lines per port table, a power of two
  parameter FLOWS = 64,      // number of flows, a power of two
  parameter QUEUE = 32,      // flits per port that may wait for the reduction unit, a power of two
  parameter EJECT_CREDITS = 6, // ejection credits per virtual channel; 6 or more sustain one flit per cycle
  parameter BUFFER = 16,     // capacity in flits between DMA and injection, a power of two above the DMA latency
  parameter WAITS = 0,       // 1: the memory may have any latency
  parameter PARITY = 0,      // 1: flits carry a parity bit on links, and parity errors are reported
  parameter ECC = 0,         // 1: tables correct single-bit errors in a line and report double-bit errors
  parameter COUNTERS = 0,    // 1: the tile has event counters
  parameter GATES = 0,       // 1: gates the clocks of idle parts, without changing any output
  // Widths of the fields of table entries and head flits (see network_interface.v).
  parameter ITER_W = 10,
  parameter TOTAL_W = 16,
  parameter TIME_W = 32,
  parameter FLOW_W = 10,
  parameter COUNT_W = 10,
  parameter STEP_W = 16,
  parameter ADDR_W = 24,
  parameter LEN_W = 20,
  parameter FLITS_W = 24,
  parameter PACKETS_W = 14,
  parameter SOURCE_W = 10,
  parameter HOP_PORT_W = 3,
  parameter HOPS = 6,
  // These parameters are derived from the others; do not set them.
  parameter LANES = FLIT_W / 32,
  parameter VC_W = $clog2(VCS),
  parameter INDEX_W = $clog2(ENTRIES),
  parameter ROUTE_W = HOPS * (HOP_PORT_W + 2 * VC_W),
  parameter ENTRY_W = `COPPICE_ENTRY_W,
  parameter LINE_W = ENTRY_W + 2 * ITER_W
) (
  input  wire                      clk_i,
  input  wire                      rst_ni,
  // Configuration; must not change while messages are being sent or received.
  input  wire [1:0]                type_i,           // element type; 0: fp32, 1: bf16, 2: int32
  input  wire                      lockstep_i,
  input  wire [FLITS_W-1:0]        absorbs_i,
  input  wire [TIME_W-1:0]         dma_latency_i,
  input  wire [LEN_W-1:0]          payload_words_i,
  input  wire [FLOW_W-1:0]         flow_stride_i,
  input  wire [ADDR_W-1:0]         address_stride_i,
  input  wire [STEP_W-1:0]         step_stride_i,
  input  wire [SOURCE_W-1:0]       source_i,  // number of port 0 in the system; the numbers of the other ports follow
  // Tables, start and status.
  input  wire [PORTS-1:0]          load_valid_i,
  input  wire [INDEX_W-1:0]        load_index_i,
  input  wire [LINE_W-1:0]         load_line_i,
  input  wire                      start_i,
  input  wire [PORTS*(INDEX_W+1)-1:0] lines_i,
  input  wire [PORTS*TOTAL_W-1:0]  count_i,
  input  wire [TOTAL_W-1:0]        arrivals_i,       // number of messages of the collective that arrive at this tile
  output wire                      busy_o,           // a collective has been started and is not done
  output wire                      done_o,
  output wire [3:0]                error_o,
  output wire [15:0]               corrected_o,      // number of corrected parts of table lines, up to 65535
  output wire [7*32-1:0]           counters_o,
  output wire [TOTAL_W-1:0]        arrived_o,        // number of messages that have arrived since the start
  output wire [TIME_W-1:0]         now_o,            // number of cycles since the reset
  // Memory ports; network_interface.v states their timing.
  output wire [PORTS-1:0]          dma_valid_o,
  output wire [PORTS*ADDR_W-1:0]   dma_address_o,
  output wire [PORTS*LANES-1:0]    dma_lanes_o,
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
  output wire [PORTS-1:0]          coming_valid_o,
  output wire [PORTS-1:0]          coming_add_o,
  output wire [PORTS*ADDR_W-1:0]   coming_address_o,
  output wire [PORTS*LANES-1:0]    coming_lanes_o,
  input  wire [PORTS-1:0]          memory_ready_i,   // ignored unless WAITS is 1, as is memory_busy_i
  input  wire                      memory_busy_i,
  // Links to the neighbours.
  output wire [LINKS-1:0]          flit_valid_o,
  output wire [LINKS*VC_W-1:0]     flit_vc_o,
  output wire [LINKS-1:0]          flit_head_o,
  output wire [LINKS-1:0]          flit_tail_o,
  output wire [LINKS*FLIT_W-1:0]   flit_o,
  output wire [LINKS-1:0]          parity_o,
  input  wire [LINKS*VCS-1:0]      credit_i,
  input  wire [LINKS-1:0]          flit_valid_i,
  input  wire [LINKS*VC_W-1:0]     flit_vc_i,
  input  wire [LINKS-1:0]          flit_head_i,
  input  wire [LINKS-1:0]          flit_tail_i,
  input  wire [LINKS*FLIT_W-1:0]   flit_i,
  input  wire [LINKS-1:0]          parity_i,         // ignored unless PARITY is 1
  output wire [LINKS*VCS-1:0]      credit_o
);
  localparam ALL = LINKS + PORTS;  // number of router ports
  localparam PORT_W = $clog2(ALL);
  localparam CREDIT_W = $clog2(DEPTH + 1);
  localparam NI_CREDIT_W = 10;
  localparam TAG_W = `COPPICE_TAG_W;
  localparam ROUTE_AT = `COPPICE_HEAD_ROUTE_AT;
  localparam WORD_W = VC_W + 2 + FLIT_W;  // width of the signals that accompany a valid flit
  localparam COUNT_W_OF_PORTS = $clog2(PORTS + 1);
  localparam [NI_CREDIT_W-1:0] NI_CREDITS = CREDITS[NI_CREDIT_W-1:0];
  localparam [CREDIT_W-1:0] LINK_CREDITS = CREDITS[CREDIT_W-1:0];
  localparam [CREDIT_W-1:0] LOCAL_CREDITS = EJECT_CREDITS[CREDIT_W-1:0];

  // Checks of the parameters. If one fails, elaboration reports an undefined module, whose name states the rule.
  generate
    if (FLIT_W != 32 * LANES || LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_check_flit
      FLIT_W_must_be_32_times_a_power_of_two_from_2 i_wrong ();
    end
    if (`COPPICE_HEAD_W > FLIT_W) begin : g_check_head
      a_head_flit_must_hold_all_its_fields_and_the_route i_wrong ();
    end
    if (VCS < 2 || (1 << VC_W) != VCS) begin : g_check_vcs
      VCS_must_be_a_power_of_two_from_2 i_wrong ();
    end
    if (HOP_PORT_W < PORT_W) begin : g_check_hop
      HOP_PORT_W_must_hold_every_port_of_the_router i_wrong ();
    end
    if (CREDITS > DEPTH || CREDITS >= (1 << NI_CREDIT_W)) begin : g_check_credits
      CREDITS_must_be_at_most_DEPTH_and_1023 i_wrong ();
    end
    if (VCS * EJECT_CREDITS >= QUEUE || EJECT_CREDITS >= (1 << CREDIT_W)) begin : g_check_queue
      VCS_times_EJECT_CREDITS_must_be_below_QUEUE i_wrong ();
    end
    if (FLOWS > (1 << FLOW_W) || (1 << $clog2(FLOWS)) != FLOWS) begin : g_check_flows
      FLOWS_must_be_a_power_of_two_that_FLOW_W_holds i_wrong ();
    end
  endgenerate

  reg [TIME_W-1:0] now_q;
  always @(posedge clk_i) begin
    if (!rst_ni) now_q <= {TIME_W{1'b0}};
    else now_q <= now_q + 1'b1;
  end
  assign now_o = now_q;

  // Flits and credits at the ports of the router (in, out) and of the network interface (inject, eject).
  wire [ALL*VCS-1:0]      in_valid;  // [port][virtual channel]
  wire [ALL-1:0]          out_valid;
  wire [ALL*VC_W-1:0]     out_vc;
  wire [ALL-1:0]          in_head, in_tail, out_head, out_tail;
  wire [ALL*FLIT_W-1:0]   in_flit, out_flit;
  wire [ALL*VCS-1:0]      in_credit, out_credit;
  wire [PORTS-1:0]        inject_valid;
  wire [PORTS*VCS-1:0]    eject_valid;  // [port][virtual channel]
  wire [PORTS*VC_W-1:0]   inject_vc;
  wire [PORTS-1:0]        inject_head, inject_tail, eject_head, eject_tail;
  wire [PORTS*FLIT_W-1:0] inject_flit, eject_flit;
  wire [PORTS*VCS-1:0]    inject_credit, eject_credit;
  wire [PORTS*SOURCE_W-1:0] source;
  wire [LINKS-1:0]        changed;
  reg                     changed_q;
  assign error_o[2] = changed_q;
  always @(posedge clk_i) changed_q <= rst_ni && (changed_q || |changed);

  router #(
    .PORTS(ALL), .PORT_W(PORT_W), .VCS(VCS), .VC_W(VC_W), .FLIT_W(FLIT_W), .DEPTH(DEPTH), .DEPTH_W($clog2(DEPTH)),
    .CREDIT_W(CREDIT_W), .INPUT_W($clog2(ALL * VCS)), .ROUTE_AT(ROUTE_AT), .ROUTE_W(ROUTE_W), .HOP_PORT_W(HOP_PORT_W), .GATES(GATES)
  ) i_router (
    .clk_i(clk_i), .rst_ni(rst_ni), .credits_i({{PORTS{LOCAL_CREDITS}}, {LINKS{LINK_CREDITS}}}),
    .flit_valid_i(in_valid), .flit_head_i(in_head), .flit_tail_i(in_tail), .flit_i(in_flit),
    .credit_o(in_credit), .flit_valid_o(out_valid), .flit_vc_o(out_vc), .flit_head_o(out_head), .flit_tail_o(out_tail),
    .flit_o(out_flit), .credit_i(out_credit));

  // One-hot virtual channel of an arriving flit; 0 if no flit arrives, regardless of vc.
  function [VCS-1:0] marks_of(input valid, input [VC_W-1:0] vc);
    integer n;
    for (n = 0; n < VCS; n = n + 1) marks_of[n] = valid && vc == n[VC_W-1:0];
  endfunction

  genvar p;
  generate
    // Flits leave one cycle after they have won the router's switch.
    for (p = 0; p < LINKS; p = p + 1) begin : g_link
      assign flit_valid_o[p] = out_valid[p];
      assign {flit_vc_o[p*VC_W+:VC_W], flit_head_o[p], flit_tail_o[p], flit_o[p*FLIT_W+:FLIT_W]} =
        {out_vc[p*VC_W+:VC_W], out_head[p], out_tail[p], out_flit[p*FLIT_W+:FLIT_W]};
      wire            parity;
      wire [VC_W-1:0] in_vc;
      channel #(.MARKS(VCS), .WIDTH(WORD_W + 1), .GATES(GATES)) i_flit_in (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(marks_of(flit_valid_i[p], flit_vc_i[p*VC_W+:VC_W])),
        .data_i({parity_i[p] && PARITY != 0, flit_vc_i[p*VC_W+:VC_W], flit_head_i[p], flit_tail_i[p], flit_i[p*FLIT_W+:FLIT_W]}),
        .marks_o(in_valid[p*VCS+:VCS]),
        .data_o({parity, in_vc, in_head[p], in_tail[p], in_flit[p*FLIT_W+:FLIT_W]}));
      assign parity_o[p] = PARITY != 0 && ^{out_vc[p*VC_W+:VC_W], out_head[p], out_tail[p], out_flit[p*FLIT_W+:FLIT_W]};
      assign changed[p] = PARITY != 0 && |in_valid[p*VCS+:VCS] &&
                          ^{parity, in_vc, in_head[p], in_tail[p], in_flit[p*FLIT_W+:FLIT_W]};
      wire unused_out, unused_in;
      channel #(.MARKS(VCS), .WIDTH(1)) i_credit_out (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(in_credit[p*VCS+:VCS]), .data_i(1'b0),
        .marks_o(credit_o[p*VCS+:VCS]), .data_o(unused_out));
      channel #(.MARKS(VCS), .WIDTH(1)) i_credit_in (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(credit_i[p*VCS+:VCS]), .data_i(1'b0),
        .marks_o(out_credit[p*VCS+:VCS]), .data_o(unused_in));
    end
    for (p = 0; p < PORTS; p = p + 1) begin : g_local
      localparam AT = LINKS + p;
      localparam [SOURCE_W-1:0] SELF = p;
      assign source[p*SOURCE_W+:SOURCE_W] = source_i + SELF;
      channel #(.MARKS(VCS), .WIDTH(WORD_W - VC_W), .LATENCY(2), .GATES(GATES)) i_injection (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(marks_of(inject_valid[p], inject_vc[p*VC_W+:VC_W])),
        .data_i({inject_head[p], inject_tail[p], inject_flit[p*FLIT_W+:FLIT_W]}),
        .marks_o(in_valid[AT*VCS+:VCS]),
        .data_o({in_head[AT], in_tail[AT], in_flit[AT*FLIT_W+:FLIT_W]}));
      channel #(.MARKS(VCS), .WIDTH(WORD_W - VC_W), .LATENCY(2), .GATES(GATES)) i_ejection (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(marks_of(out_valid[AT], out_vc[AT*VC_W+:VC_W])),
        .data_i({out_head[AT], out_tail[AT], out_flit[AT*FLIT_W+:FLIT_W]}),
        .marks_o(eject_valid[p*VCS+:VCS]),
        .data_o({eject_head[p], eject_tail[p], eject_flit[p*FLIT_W+:FLIT_W]}));
      wire unused_injection, unused_ejection;
      channel #(.MARKS(VCS), .WIDTH(1), .LATENCY(2)) i_injection_credit (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(in_credit[AT*VCS+:VCS]), .data_i(1'b0),
        .marks_o(inject_credit[p*VCS+:VCS]), .data_o(unused_injection));
      channel #(.MARKS(VCS), .WIDTH(1), .LATENCY(3)) i_ejection_credit (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(eject_credit[p*VCS+:VCS]), .data_i(1'b0),
        .marks_o(out_credit[AT*VCS+:VCS]), .data_o(unused_ejection));
    end
  endgenerate

  wire [PORTS*3-1:0]       state;
  wire [PORTS-1:0]         issue, arrived;
  wire [PORTS*TOTAL_W-1:0] issued;
  wire [PORTS*STEP_W-1:0]  timestep;
  wire [PORTS*TIME_W-1:0]  lockstep, release_at;
  wire                     ni_busy, done, stray, table_wrong;
  wire [PORTS*2-1:0]       table_corrected;
  network_interface #(
    .PORTS(PORTS), .FLIT_W(FLIT_W), .LANES(LANES), .VCS(VCS), .VC_W(VC_W), .CREDIT_W(NI_CREDIT_W), .ENTRIES(ENTRIES),
    .INDEX_W(INDEX_W), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W), .TIME_W(TIME_W), .FLOWS(FLOWS), .FLOW_W(FLOW_W),
    .COUNT_W(COUNT_W), .STEP_W(STEP_W), .ADDR_W(ADDR_W), .LEN_W(LEN_W), .FLITS_W(FLITS_W), .PACKETS_W(PACKETS_W),
    .SOURCE_W(SOURCE_W), .ROUTE_W(ROUTE_W), .BUFFER(BUFFER), .BUFFER_W($clog2(BUFFER)), .QUEUE(QUEUE),
    .QUEUE_W($clog2(QUEUE)), .WAITS(WAITS), .ECC(ECC), .EJECT_CREDITS(EJECT_CREDITS), .GATES(GATES)
  ) i_ni (
    .clk_i(clk_i), .rst_ni(rst_ni), .now_i(now_q), .type_i(type_i), .lockstep_i(lockstep_i), .absorbs_i(absorbs_i),
    .dma_latency_i(dma_latency_i), .payload_words_i(payload_words_i), .flow_stride_i(flow_stride_i),
    .address_stride_i(address_stride_i), .step_stride_i(step_stride_i), .source_i(source),
    .credits_i({VCS{NI_CREDITS}}), .load_valid_i(load_valid_i), .load_index_i(load_index_i),
    .load_line_i(load_line_i), .start_i(start_i), .lines_i(lines_i), .count_i(count_i), .commit_i(1'b0), .open_i(1'b0),
    .id_i(5'd0), .base_i({ADDR_W{1'b0}}), .priority_i(8'd0), .arrivals_i(16'd0), .turn_i(1'b0), .order_i(2'd0), .done_o(done),
    .dma_valid_o(dma_valid_o), .dma_address_o(dma_address_o), .dma_lanes_o(dma_lanes_o), .dma_data_valid_i(dma_data_valid_i), .dma_data_i(dma_data_i),
    .read_valid_o(read_valid_o), .read_address_o(read_address_o), .read_data_i(read_data_i),
    .sum_valid_o(sum_valid_o), .sum_address_o(sum_address_o), .sum_lanes_o(sum_lanes_o), .sum_data_o(sum_data_o),
    .store_valid_o(store_valid_o), .store_address_o(store_address_o), .store_lanes_o(store_lanes_o),
    .store_data_o(store_data_o), .coming_valid_o(coming_valid_o), .coming_add_o(coming_add_o),
    .coming_address_o(coming_address_o), .coming_lanes_o(coming_lanes_o), .memory_ready_i(memory_ready_i),
    .flit_valid_o(inject_valid), .flit_vc_o(inject_vc), .flit_head_o(inject_head),
    .flit_tail_o(inject_tail), .flit_o(inject_flit), .credit_i(inject_credit), .flit_valid_i(eject_valid),
    .flit_head_i(eject_head), .flit_tail_i(eject_tail), .flit_i(eject_flit),
    .credit_o(eject_credit), .state_o(state), .issue_o(issue), .issued_o(issued), .timestep_o(timestep),
    .lockstep_o(lockstep), .release_o(release_at), .arrived_o(arrived), .table_corrected_o(table_corrected),
    .table_wrong_o(table_wrong), .busy_o(ni_busy), .stray_o(stray),
    .overflow_o(error_o[1:0]));

  // Counts arrivals and detects the end of the collective. Each port's decoder is in state 0 (done) when its table has
  // ended.
  reg [TOTAL_W-1:0] arrived_q, arrivals_q;
  reg               runs_q, done_q, just_started_q;
  reg [COUNT_W_OF_PORTS-1:0] together;
  integer i;
  always @* begin
    together = {COUNT_W_OF_PORTS{1'b0}};
    for (i = 0; i < PORTS; i = i + 1) together = together + {{(COUNT_W_OF_PORTS-1){1'b0}}, arrived[i]};
  end
  wire ends = runs_q && !just_started_q && arrived_q == arrivals_q && state == {(PORTS * 3){1'b0}} && !ni_busy &&
              !(WAITS != 0 && memory_busy_i);
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      runs_q <= 1'b0;
      done_q <= 1'b0;
      just_started_q <= 1'b0;
      arrived_q <= {TOTAL_W{1'b0}};
      arrivals_q <= {TOTAL_W{1'b0}};
    end else begin
      just_started_q <= start_i;
      if (start_i) begin
        runs_q <= 1'b1;
        done_q <= 1'b0;
        arrived_q <= {TOTAL_W{1'b0}};
        arrivals_q <= arrivals_i;
      end else begin
        arrived_q <= arrived_q + {{(TOTAL_W - COUNT_W_OF_PORTS){1'b0}}, together};
        if (ends) begin
          runs_q <= 1'b0;
          done_q <= 1'b1;
        end
      end
    end
  end
  assign busy_o = runs_q;
  assign done_o = done_q;
  assign arrived_o = arrived_q;

  reg table_wrong_q;
  assign error_o[3] = table_wrong_q;
  always @(posedge clk_i) table_wrong_q <= rst_ni && (table_wrong_q || table_wrong);
  generate
    if (ECC != 0) begin : g_corrected
      event_counter #(.EVENTS(PORTS * 2), .COUNT_W(16)) i_corrected (
        .clk_i(clk_i), .clear_i(!rst_ni), .event_i(table_corrected), .count_o(corrected_o));
    end else begin : g_plain
      wire unused = &{1'b0, table_corrected};
      assign corrected_o = 16'd0;
    end
    if (COUNTERS != 0) begin : g_counters
      localparam [2:0] WAIT_LOCKSTEP = 3'd1, WAIT_DEPENDENCY = 3'd2, WAIT_QUEUE = 3'd3;  // encoding of ni::DecoderState
      wire [PORTS-1:0] ejected, lockstep_waits, dependency_waits, place_waits;
      for (p = 0; p < PORTS; p = p + 1) begin : g_state
        assign ejected[p] = |eject_valid[p*VCS+:VCS];
        assign lockstep_waits[p] = state[p*3+:3] == WAIT_LOCKSTEP;
        assign dependency_waits[p] = state[p*3+:3] == WAIT_DEPENDENCY;
        assign place_waits[p] = state[p*3+:3] == WAIT_QUEUE;
      end
      wire clear = !rst_ni || start_i;
      event_counter #(.EVENTS(1)) i_cycles (.clk_i(clk_i), .clear_i(clear), .event_i(runs_q), .count_o(counters_o[0+:32]));
      event_counter #(.EVENTS(LINKS)) i_sent (
        .clk_i(clk_i), .clear_i(clear), .event_i(flit_valid_o), .count_o(counters_o[32+:32]));
      event_counter #(.EVENTS(PORTS)) i_injected (
        .clk_i(clk_i), .clear_i(clear), .event_i(inject_valid), .count_o(counters_o[64+:32]));
      event_counter #(.EVENTS(PORTS)) i_ejected (
        .clk_i(clk_i), .clear_i(clear), .event_i(ejected), .count_o(counters_o[96+:32]));
      event_counter #(.EVENTS(PORTS)) i_lockstep_waits (
        .clk_i(clk_i), .clear_i(clear), .event_i(lockstep_waits), .count_o(counters_o[128+:32]));
      event_counter #(.EVENTS(PORTS)) i_dependency_waits (
        .clk_i(clk_i), .clear_i(clear), .event_i(dependency_waits), .count_o(counters_o[160+:32]));
      event_counter #(.EVENTS(PORTS)) i_place_waits (
        .clk_i(clk_i), .clear_i(clear), .event_i(place_waits), .count_o(counters_o[192+:32]));
    end else begin : g_no_counters
      assign counters_o = {7{32'd0}};
    end
  endgenerate

  wire unused = &{1'b0, issue, issued, timestep, lockstep, release_at, done, stray};
endmodule
`default_nettype wire

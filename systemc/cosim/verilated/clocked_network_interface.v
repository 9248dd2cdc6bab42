// A network_interface with a register at every input, so that the simulator evaluates each cycle once instead
// of both before and after the clock edge. The outputs belong to the cycle whose inputs were registered at
// the last clock edge.
`include "../ni/coppice_layout.vh"
`default_nettype none
module clocked_network_interface #(
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
  parameter ROUTE_W = 42,    // width of a source route; a flit must hold the head with its route
  parameter BUFFER = 16,     // flits between DMA and injection, a power of two above the DMA latency
  parameter BUFFER_W = 4,    // log2(BUFFER)
  parameter QUEUE = 16,      // flits per port that may wait for the reduction unit, a power of two
  parameter QUEUE_W = 4,     // log2(QUEUE)
  parameter CONTEXTS = 1,    // collectives in flight, at least 1
  parameter CONTEXT_W = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1,
  parameter ID_W = 5,        // width of a collective's id in a head flit, at least CONTEXT_W; unused with one context
  parameter ARRIVALS_W = 16, // width of a collective's arrival count
  parameter PRIORITY_W = 8,  // width of a collective's priority
  parameter EJECT_CREDITS = 3,  // ejection credits per virtual channel; VCS * EJECT_CREDITS must be below QUEUE
  parameter ENTRY_W = `COPPICE_ENTRY_W,
  parameter LINE_W = ENTRY_W + 2 * ITER_W
) (
  input  wire clk_i,
  input  wire rst_ni,
  input  wire [TIME_W-1:0] now_i,
  input  wire lockstep_i,
  input  wire [FLITS_W-1:0] absorbs_i,
  input  wire [TIME_W-1:0] dma_latency_i,
  input  wire [LEN_W-1:0] payload_words_i,
  input  wire [CONTEXTS*FLOW_W-1:0] flow_stride_i,
  input  wire [CONTEXTS*ADDR_W-1:0] address_stride_i,
  input  wire [CONTEXTS*STEP_W-1:0] step_stride_i,
  input  wire [PORTS*SOURCE_W-1:0] source_i,
  input  wire [VCS*CREDIT_W-1:0] credits_i,
  input  wire [PORTS*CONTEXTS-1:0] load_valid_i,
  input  wire [INDEX_W-1:0] load_index_i,
  input  wire [LINE_W-1:0] load_line_i,
  input  wire [CONTEXTS-1:0] start_i,
  input  wire [PORTS*(INDEX_W+1)-1:0] lines_i,
  input  wire [PORTS*TOTAL_W-1:0] count_i,
  input  wire [CONTEXTS-1:0] commit_i,
  input  wire [CONTEXTS-1:0] open_i,
  input  wire [CONTEXTS*ID_W-1:0] id_i,
  input  wire [CONTEXTS*ADDR_W-1:0] base_i,
  input  wire [CONTEXTS*PRIORITY_W-1:0] priority_i,
  input  wire [CONTEXTS*ARRIVALS_W-1:0] arrivals_i,
  input  wire [CONTEXTS*CONTEXT_W-1:0] turn_i,
  input  wire [1:0] order_i,
  output wire [PORTS-1:0] dma_valid_o,
  output wire [PORTS*ADDR_W-1:0] dma_address_o,
  input  wire [PORTS-1:0] dma_data_valid_i,
  input  wire [PORTS*FLIT_W-1:0] dma_data_i,
  output wire [PORTS-1:0] read_valid_o,
  output wire [PORTS*ADDR_W-1:0] read_address_o,
  input  wire [PORTS*FLIT_W-1:0] read_data_i,
  output wire [PORTS-1:0] sum_valid_o,
  output wire [PORTS*ADDR_W-1:0] sum_address_o,
  output wire [PORTS*LANES-1:0] sum_lanes_o,
  output wire [PORTS*FLIT_W-1:0] sum_data_o,
  output wire [PORTS-1:0] store_valid_o,
  output wire [PORTS*ADDR_W-1:0] store_address_o,
  output wire [PORTS*LANES-1:0] store_lanes_o,
  output wire [PORTS*FLIT_W-1:0] store_data_o,
  output wire [PORTS-1:0] flit_valid_o,
  output wire [PORTS*VC_W-1:0] flit_vc_o,
  output wire [PORTS-1:0] flit_head_o,
  output wire [PORTS-1:0] flit_tail_o,
  output wire [PORTS*FLIT_W-1:0] flit_o,
  input  wire [PORTS*VCS-1:0] credit_i,
  input  wire [PORTS-1:0] flit_valid_i,
  input  wire [PORTS*VC_W-1:0] flit_vc_i,
  input  wire [PORTS-1:0] flit_head_i,
  input  wire [PORTS-1:0] flit_tail_i,
  input  wire [PORTS*FLIT_W-1:0] flit_i,
  output wire [PORTS*VCS-1:0] credit_o,
  output wire [CONTEXTS-1:0] done_o,
  output wire [PORTS*CONTEXTS*3-1:0] state_o,
  output wire [PORTS*CONTEXTS-1:0] issue_o,
  output wire [PORTS*CONTEXTS*TOTAL_W-1:0] issued_o,
  output wire [PORTS*CONTEXTS*STEP_W-1:0] timestep_o,
  output wire [PORTS*CONTEXTS*TIME_W-1:0] lockstep_o,
  output wire [PORTS*CONTEXTS*TIME_W-1:0] release_o,
  output wire [PORTS-1:0] arrived_o,
  output wire busy_o,
  output wire stray_o,
  output wire [1:0] overflow_o
);
  reg  rst_n_q;
  reg  [TIME_W-1:0] now_q;
  reg  lockstep_q;
  reg  [FLITS_W-1:0] absorbs_q;
  reg  [TIME_W-1:0] dma_latency_q;
  reg  [LEN_W-1:0] payload_words_q;
  reg  [CONTEXTS*FLOW_W-1:0] flow_stride_q;
  reg  [CONTEXTS*ADDR_W-1:0] address_stride_q;
  reg  [CONTEXTS*STEP_W-1:0] step_stride_q;
  reg  [PORTS*SOURCE_W-1:0] source_q;
  reg  [VCS*CREDIT_W-1:0] credits_q;
  reg  [PORTS*CONTEXTS-1:0] load_valid_q;
  reg  [INDEX_W-1:0] load_index_q;
  reg  [LINE_W-1:0] load_line_q;
  reg  [CONTEXTS-1:0] start_q;
  reg  [PORTS*(INDEX_W+1)-1:0] lines_q;
  reg  [PORTS*TOTAL_W-1:0] count_q;
  reg  [CONTEXTS-1:0] commit_q;
  reg  [CONTEXTS-1:0] open_q;
  reg  [CONTEXTS*ID_W-1:0] id_q;
  reg  [CONTEXTS*ADDR_W-1:0] base_q;
  reg  [CONTEXTS*PRIORITY_W-1:0] priority_q;
  reg  [CONTEXTS*ARRIVALS_W-1:0] arrivals_q;
  reg  [CONTEXTS*CONTEXT_W-1:0] turn_q;
  reg  [1:0] order_q;
  reg  [PORTS-1:0] dma_data_valid_q;
  reg  [PORTS*FLIT_W-1:0] dma_data_q;
  reg  [PORTS*FLIT_W-1:0] read_data_q;
  reg  [PORTS*VCS-1:0] credit_q;
  reg  [PORTS*VCS-1:0] flit_valid_q;
  reg  [PORTS-1:0] flit_head_q;
  reg  [PORTS-1:0] flit_tail_q;
  reg  [PORTS*FLIT_W-1:0] flit_q;
  integer i;
  always @(posedge clk_i) begin
    rst_n_q <= rst_ni;
    now_q <= now_i;
    lockstep_q <= lockstep_i;
    absorbs_q <= absorbs_i;
    dma_latency_q <= dma_latency_i;
    payload_words_q <= payload_words_i;
    flow_stride_q <= flow_stride_i;
    address_stride_q <= address_stride_i;
    step_stride_q <= step_stride_i;
    source_q <= source_i;
    credits_q <= credits_i;
    load_valid_q <= load_valid_i;
    load_index_q <= load_index_i;
    load_line_q <= load_line_i;
    start_q <= start_i;
    lines_q <= lines_i;
    count_q <= count_i;
    commit_q <= commit_i;
    open_q <= open_i;
    id_q <= id_i;
    base_q <= base_i;
    priority_q <= priority_i;
    arrivals_q <= arrivals_i;
    turn_q <= turn_i;
    order_q <= order_i;
    dma_data_valid_q <= dma_data_valid_i;
    dma_data_q <= dma_data_i;
    read_data_q <= read_data_i;
    credit_q <= credit_i;
    for (i = 0; i < PORTS * VCS; i = i + 1)
      flit_valid_q[i] <= flit_valid_i[i/VCS] && {30'd0, flit_vc_i[i/VCS*VC_W+:VC_W]} == i % VCS;
    flit_head_q <= flit_head_i;
    flit_tail_q <= flit_tail_i;
    flit_q <= flit_i;
  end
  // In this simulation, the memory always responds in time.
  wire [PORTS-1:0]        coming_valid, coming_add;
  wire [PORTS*ADDR_W-1:0] coming_address;
  wire [PORTS*LANES-1:0]  dma_lanes, coming_lanes;
  wire [PORTS*CONTEXTS*2-1:0] table_corrected;
  wire                    table_wrong;
  wire unused = &{1'b0, dma_lanes, coming_valid, coming_add, coming_address, coming_lanes, table_corrected, table_wrong};
  network_interface #(
    .PORTS(PORTS), .FLIT_W(FLIT_W), .LANES(LANES), .VCS(VCS), .VC_W(VC_W), .CREDIT_W(CREDIT_W),
    .ENTRIES(ENTRIES), .INDEX_W(INDEX_W), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W), .TIME_W(TIME_W), .FLOWS(FLOWS),
    .FLOW_W(FLOW_W), .COUNT_W(COUNT_W), .STEP_W(STEP_W), .ADDR_W(ADDR_W), .LEN_W(LEN_W), .FLITS_W(FLITS_W), .PACKETS_W(PACKETS_W),
    .SOURCE_W(SOURCE_W), .ROUTE_W(ROUTE_W), .BUFFER(BUFFER), .BUFFER_W(BUFFER_W), .QUEUE(QUEUE),
    .QUEUE_W(QUEUE_W), .EJECT_CREDITS(EJECT_CREDITS), .CONTEXTS(CONTEXTS), .CONTEXT_W(CONTEXT_W), .ID_W(ID_W),
    .ARRIVALS_W(ARRIVALS_W), .PRIORITY_W(PRIORITY_W), .ENTRY_W(ENTRY_W)
  ) ni (
    .clk_i(clk_i), .rst_ni(rst_n_q), .now_i(now_q), .type_i(2'd0), .lockstep_i(lockstep_q),
    .absorbs_i(absorbs_q), .dma_latency_i(dma_latency_q), .payload_words_i(payload_words_q),
    .flow_stride_i(flow_stride_q), .address_stride_i(address_stride_q), .step_stride_i(step_stride_q),
    .source_i(source_q), .credits_i(credits_q), .load_valid_i(load_valid_q), .load_index_i(load_index_q),
    .load_line_i(load_line_q), .start_i(start_q), .lines_i(lines_q), .count_i(count_q), .commit_i(commit_q),
    .open_i(open_q), .id_i(id_q), .base_i(base_q), .priority_i(priority_q), .arrivals_i(arrivals_q), .turn_i(turn_q),
    .order_i(order_q), .done_o(done_o), .stray_o(stray_o), .dma_valid_o(dma_valid_o),
    .dma_address_o(dma_address_o), .dma_data_valid_i(dma_data_valid_q), .dma_data_i(dma_data_q),
    .read_valid_o(read_valid_o), .read_address_o(read_address_o), .read_data_i(read_data_q),
    .sum_valid_o(sum_valid_o), .sum_address_o(sum_address_o), .sum_lanes_o(sum_lanes_o),
    .sum_data_o(sum_data_o), .store_valid_o(store_valid_o), .store_address_o(store_address_o),
    .store_lanes_o(store_lanes_o), .store_data_o(store_data_o), .dma_lanes_o(dma_lanes),
    .coming_valid_o(coming_valid), .coming_add_o(coming_add), .coming_address_o(coming_address), .coming_lanes_o(coming_lanes),
    .memory_ready_i({PORTS{1'b1}}), .flit_valid_o(flit_valid_o),
    .flit_vc_o(flit_vc_o), .flit_head_o(flit_head_o), .flit_tail_o(flit_tail_o), .flit_o(flit_o),
    .credit_i(credit_q), .flit_valid_i(flit_valid_q), .flit_head_i(flit_head_q),
    .flit_tail_i(flit_tail_q), .flit_i(flit_q), .credit_o(credit_o), .state_o(state_o), .issue_o(issue_o), .issued_o(issued_o),
    .timestep_o(timestep_o), .lockstep_o(lockstep_o), .release_o(release_o), .arrived_o(arrived_o),
    .table_corrected_o(table_corrected), .table_wrong_o(table_wrong), .busy_o(busy_o), .overflow_o(overflow_o));
endmodule
`default_nettype wire

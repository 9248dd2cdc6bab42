// A tile with AXI4-Lite registers (tile_registers.v, described in docs/hardware/registers.md), an interrupt, and the
// memory and link ports of tile.v. irq_o is 1 while an enabled interrupt is pending. The end of a collective makes the
// interrupt `done` pending, and the first error makes `error` pending.
//
// The limits of tile.v apply. In addition, the register map allows at most 8 ports, 256 bits per table line and 32768
// lines per table.
`include "../ni/coppice_layout.vh"
`default_nettype none
module lite_tile #(
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
  parameter BUFFER = 16,     // flits between memory and injection, a power of two above the DMA latency
  parameter WAITS = 0,       // 1: the memory may have any latency
  parameter PARITY = 0,      // 1: flits carry a parity bit on links, and parity errors are reported
  parameter ECC = 0,         // 1: tables correct single-bit errors in a line and report double-bit errors
  parameter COUNTERS = 0,    // 1: the tile has event counters
  parameter GATES = 0,       // 1: gates the clocks of idle parts, without changing any output
  parameter SPILL = 0,       // 1: each AXI4-Lite channel has registers at both ends and a latency of one cycle
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
  // Registers: an AXI4-Lite port for software.
  input  wire [7:0]                awaddr_i,
  input  wire                      awvalid_i,
  output wire                      awready_o,
  input  wire [31:0]               wdata_i,
  input  wire [3:0]                wstrb_i,
  input  wire                      wvalid_i,
  output wire                      wready_o,
  output wire [1:0]                bresp_o,
  output wire                      bvalid_o,
  input  wire                      bready_i,
  input  wire [7:0]                araddr_i,
  input  wire                      arvalid_i,
  output wire                      arready_o,
  output wire [31:0]               rdata_o,
  output wire [1:0]                rresp_o,
  output wire                      rvalid_o,
  input  wire                      rready_i,
  output wire                      irq_o,
  output wire [31:0]               memory_base_o,    // address of the gradients' word 0, in units of 4 KiB
  input  wire                      memory_error_i,
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
  localparam MOST_PORTS = 8;  // number of ports in the register map
  localparam [31:0] ID = 32'h434f5054;
  localparam [7:0]  PORTS_FIELD = PORTS[7:0], LINKS_FIELD = LINKS[7:0];
  localparam [15:0] ENTRIES_FIELD = ENTRIES[15:0];
  generate
    if (PORTS > MOST_PORTS || LINE_W > 256 || INDEX_W > 15) begin : g_check_map
      the_register_map_holds_8_ports_lines_of_256_bits_and_15_bits_of_index i_wrong ();
    end
  endgenerate

  wire         control_write, control, table_write;
  wire [1:0]   interrupt, interrupt_enable;
  wire [3:0]   tile_error;
  wire [15:0]  corrected;
  wire [7*32-1:0] counters;
  wire [4:0]   error = {tile_error[3:2], memory_error_i, tile_error[1:0]};
  wire         busy, done;
  wire [2:0]   config_bits;
  wire [23:0]  absorbs, address_stride, table_line;
  wire [7:0]   dma_latency;
  wire [19:0]  payload;
  wire [9:0]   flow_stride, source;
  wire [15:0]  step_stride, arrivals, arrived;
  wire [31:0]  now;
  wire [255:0] line;
  wire [MOST_PORTS*16-1:0] lines, count;

  // These registers detect rising edges, so each event makes its interrupt pending only once.
  reg done_q, error_q;
  always @(posedge clk_i) begin
    done_q <= rst_ni && done;
    error_q <= rst_ni && error != 5'd0;
  end

  // AXI4-Lite channels behind the spill registers.
  wire [7:0]  awaddr, araddr;
  wire [31:0] wdata, rdata;
  wire [3:0]  wstrb;
  wire [1:0]  bresp, rresp;
  wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  spill_register #(.WIDTH(8), .SPILL(SPILL)) i_aw (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(awvalid_i), .ready_o(awready_o), .data_i(awaddr_i), .valid_o(awvalid), .ready_i(awready),
    .data_o(awaddr));
  spill_register #(.WIDTH(36), .SPILL(SPILL)) i_w (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(wvalid_i), .ready_o(wready_o), .data_i({wstrb_i, wdata_i}), .valid_o(wvalid),
    .ready_i(wready), .data_o({wstrb, wdata}));
  spill_register #(.WIDTH(2), .SPILL(SPILL)) i_b (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(bvalid), .ready_o(bready), .data_i(bresp), .valid_o(bvalid_o), .ready_i(bready_i),
    .data_o(bresp_o));
  spill_register #(.WIDTH(8), .SPILL(SPILL)) i_ar (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(arvalid_i), .ready_o(arready_o), .data_i(araddr_i), .valid_o(arvalid), .ready_i(arready),
    .data_o(araddr));
  spill_register #(.WIDTH(34), .SPILL(SPILL)) i_r (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rvalid), .ready_o(rready), .data_i({rresp, rdata}), .valid_o(rvalid_o),
    .ready_i(rready_i), .data_o({rresp_o, rdata_o}));

  tile_registers i_registers (
    .clk_i(clk_i), .rst_ni(rst_ni), .awaddr_i(awaddr), .awvalid_i(awvalid), .awready_o(awready), .wdata_i(wdata),
    .wstrb_i(wstrb), .wvalid_i(wvalid), .wready_o(wready), .bresp_o(bresp), .bvalid_o(bvalid),
    .bready_i(bready), .araddr_i(araddr), .arvalid_i(arvalid), .arready_o(arready), .rdata_o(rdata),
    .rresp_o(rresp), .rvalid_o(rvalid), .rready_i(rready), .id_i(ID),
    .shape_i({ENTRIES_FIELD, LINKS_FIELD, PORTS_FIELD}), .control_write_o(control_write), .control_o(control),
    .status_i({done, busy}), .error_i(error), .interrupt_set_i({error != 5'd0 && !error_q, done && !done_q}),
    .interrupt_o(interrupt), .interrupt_enable_o(interrupt_enable), .config_o(config_bits), .absorbs_o(absorbs),
    .dma_latency_o(dma_latency), .payload_o(payload), .flow_stride_o(flow_stride), .address_stride_o(address_stride),
    .step_stride_o(step_stride), .source_o(source), .arrivals_o(arrivals), .arrived_i(arrived), .now_i(now), .memory_base_o(memory_base_o),
    .corrected_i(corrected), .cycles_i(counters[0+:32]), .sent_flits_i(counters[32+:32]), .injected_flits_i(counters[64+:32]),
    .ejected_flits_i(counters[96+:32]), .lockstep_waits_i(counters[128+:32]), .dependency_waits_i(counters[160+:32]),
    .place_waits_i(counters[192+:32]),
    .table_write_o(table_write), .table_o(table_line), .line_o(line), .lines_o(lines), .count_o(count));
  assign irq_o = |(interrupt & interrupt_enable);

  wire [PORTS-1:0]             load;
  wire [PORTS*(INDEX_W+1)-1:0] tile_lines;
  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      localparam [7:0] PORT = p;
      assign load[p] = table_write && table_line[23:16] == PORT;
      assign tile_lines[p*(INDEX_W+1)+:INDEX_W+1] = lines[p*16+:INDEX_W+1];
    end
  endgenerate

  tile #(
    .LINKS(LINKS), .PORTS(PORTS), .FLIT_W(FLIT_W), .VCS(VCS), .DEPTH(DEPTH), .CREDITS(CREDITS), .ENTRIES(ENTRIES),
    .FLOWS(FLOWS), .QUEUE(QUEUE), .EJECT_CREDITS(EJECT_CREDITS), .BUFFER(BUFFER), .WAITS(WAITS), .PARITY(PARITY), .ECC(ECC),
    .COUNTERS(COUNTERS), .GATES(GATES), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W),
    .TIME_W(TIME_W), .FLOW_W(FLOW_W), .COUNT_W(COUNT_W), .STEP_W(STEP_W), .ADDR_W(ADDR_W), .LEN_W(LEN_W),
    .FLITS_W(FLITS_W), .PACKETS_W(PACKETS_W), .SOURCE_W(SOURCE_W), .HOP_PORT_W(HOP_PORT_W), .HOPS(HOPS)
  ) i_tile (
    .clk_i(clk_i), .rst_ni(rst_ni), .type_i(config_bits[1:0]), .lockstep_i(config_bits[2]), .absorbs_i(absorbs),
    .dma_latency_i({24'd0, dma_latency}), .payload_words_i(payload), .flow_stride_i(flow_stride),
    .address_stride_i(address_stride), .step_stride_i(step_stride), .source_i(source), .load_valid_i(load),
    .load_index_i(table_line[INDEX_W-1:0]), .load_line_i(line[LINE_W-1:0]), .start_i(control_write && control),
    .lines_i(tile_lines), .count_i(count[PORTS*16-1:0]), .arrivals_i(arrivals), .busy_o(busy), .done_o(done),
    .error_o(tile_error), .corrected_o(corrected), .counters_o(counters), .arrived_o(arrived), .now_o(now), .dma_valid_o(dma_valid_o), .dma_address_o(dma_address_o),
    .dma_lanes_o(dma_lanes_o), .dma_data_valid_i(dma_data_valid_i), .dma_data_i(dma_data_i), .read_valid_o(read_valid_o),
    .read_address_o(read_address_o), .read_data_i(read_data_i), .sum_valid_o(sum_valid_o), .sum_address_o(sum_address_o),
    .sum_lanes_o(sum_lanes_o), .sum_data_o(sum_data_o), .store_valid_o(store_valid_o), .store_address_o(store_address_o),
    .store_lanes_o(store_lanes_o), .store_data_o(store_data_o), .coming_valid_o(coming_valid_o), .coming_add_o(coming_add_o),
    .coming_address_o(coming_address_o), .coming_lanes_o(coming_lanes_o), .memory_ready_i(memory_ready_i), .memory_busy_i(memory_busy_i),
    .flit_valid_o(flit_valid_o), .flit_vc_o(flit_vc_o), .flit_head_o(flit_head_o), .flit_tail_o(flit_tail_o),
    .flit_o(flit_o), .parity_o(parity_o), .parity_i(parity_i), .credit_i(credit_i), .flit_valid_i(flit_valid_i), .flit_vc_i(flit_vc_i),
    .flit_head_i(flit_head_i), .flit_tail_i(flit_tail_i), .flit_i(flit_i), .credit_o(credit_o));
  wire unused = &{1'b0, line, lines, count, table_line};  // bits of ports and table fields that this tile lacks
endmodule
`default_nettype wire

// A tile with bus interfaces: registers over AXI4-Lite (lite_tile.v), memory over AXI4 (rtl/memory), and links to
// neighbours.
//
// The limits of lite_tile.v apply.
`default_nettype none
module axi_tile #(
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
  parameter BUFFER = 64,     // capacity in flits between memory and injection, a power of two; limits reads in flight
  parameter PARITY = 0,      // 1: flits carry a parity bit on links, and parity errors are reported
  parameter ECC = 0,         // 1: tables correct single-bit errors in a line and report double-bit errors
  parameter COUNTERS = 0,    // 1: the tile has event counters
  parameter GATES = 0,       // 1: gates the clocks of idle parts, without changing any output
  parameter SPILL = 0,       // 1: each AXI4 and AXI4-Lite channel has registers at both ends and a latency of one cycle
  parameter BANKS = 4,       // AXI4 ports to memory, a power of two, at least 2
  parameter BURST_WORDS = 16, // words per burst and line, a power of two, at least two flits
  parameter LINES = 16,      // cache lines per bank, a power of two above 2 * PORTS
  parameter AXI_W = 128,     // width of an AXI4 word, 32 times a power of two, at most FLIT_W
  parameter ADDRESS_W = 44,  // width of an AXI4 address
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
  parameter VC_W = $clog2(VCS)
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
  // Memory: one AXI4 port per bank of gradient_memory.v.
  output wire [BANKS*ADDRESS_W-1:0] memory_araddr_o,
  output wire [7:0]                memory_arlen_o,
  output wire [2:0]                memory_arsize_o,
  output wire [1:0]                memory_arburst_o,
  output wire [BANKS-1:0]          memory_arvalid_o,
  input  wire [BANKS-1:0]          memory_arready_i,
  input  wire [BANKS*AXI_W-1:0]    memory_rdata_i,
  input  wire [BANKS*2-1:0]        memory_rresp_i,
  input  wire [BANKS-1:0]          memory_rlast_i,
  input  wire [BANKS-1:0]          memory_rvalid_i,
  output wire [BANKS-1:0]          memory_rready_o,
  output wire [BANKS*ADDRESS_W-1:0] memory_awaddr_o,
  output wire [7:0]                memory_awlen_o,
  output wire [2:0]                memory_awsize_o,
  output wire [1:0]                memory_awburst_o,
  output wire [BANKS-1:0]          memory_awvalid_o,
  input  wire [BANKS-1:0]          memory_awready_i,
  output wire [BANKS*AXI_W-1:0]    memory_wdata_o,
  output wire [BANKS*AXI_W/8-1:0]  memory_wstrb_o,
  output wire [BANKS-1:0]          memory_wlast_o,
  output wire [BANKS-1:0]          memory_wvalid_o,
  input  wire [BANKS-1:0]          memory_wready_i,
  input  wire [BANKS*2-1:0]        memory_bresp_i,
  input  wire [BANKS-1:0]          memory_bvalid_i,
  output wire [BANKS-1:0]          memory_bready_o,
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
  wire [31:0]             memory_base;
  wire                    memory_error;
  wire [PORTS-1:0]        dma_valid, dma_data_valid, read_valid, sum_valid, store_valid, coming_valid, coming_add, memory_ready;
  wire [PORTS*ADDR_W-1:0] dma_address, read_address, sum_address, store_address, coming_address;
  wire [PORTS*LANES-1:0]  dma_lanes, sum_lanes, store_lanes, coming_lanes;
  wire [PORTS*FLIT_W-1:0] dma_data, read_data, sum_data, store_data;
  wire                    memory_busy;

  // AXI4 channels between each bank and its spill registers.
  localparam STRB_W = AXI_W / 8;
  wire [BANKS*ADDRESS_W-1:0] bank_araddr, bank_awaddr;
  wire [BANKS*AXI_W-1:0]     bank_rdata, bank_wdata;
  wire [BANKS*STRB_W-1:0]    bank_wstrb;
  wire [BANKS*2-1:0]         bank_rresp, bank_bresp;
  wire [BANKS-1:0]           bank_arvalid, bank_arready, bank_rlast, bank_rvalid, bank_rready, bank_awvalid, bank_awready, bank_wlast,
                             bank_wvalid, bank_wready, bank_bvalid, bank_bready;
  genvar b;
  generate
    for (b = 0; b < BANKS; b = b + 1) begin : g_bank
      spill_register #(.WIDTH(ADDRESS_W), .SPILL(SPILL)) i_ar (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(bank_arvalid[b]), .ready_o(bank_arready[b]),
        .data_i(bank_araddr[b*ADDRESS_W+:ADDRESS_W]), .valid_o(memory_arvalid_o[b]), .ready_i(memory_arready_i[b]),
        .data_o(memory_araddr_o[b*ADDRESS_W+:ADDRESS_W]));
      spill_register #(.WIDTH(AXI_W + 3), .SPILL(SPILL)) i_r (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(memory_rvalid_i[b]), .ready_o(memory_rready_o[b]),
        .data_i({memory_rlast_i[b], memory_rresp_i[b*2+:2], memory_rdata_i[b*AXI_W+:AXI_W]}), .valid_o(bank_rvalid[b]),
        .ready_i(bank_rready[b]), .data_o({bank_rlast[b], bank_rresp[b*2+:2], bank_rdata[b*AXI_W+:AXI_W]}));
      spill_register #(.WIDTH(ADDRESS_W), .SPILL(SPILL)) i_aw (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(bank_awvalid[b]), .ready_o(bank_awready[b]),
        .data_i(bank_awaddr[b*ADDRESS_W+:ADDRESS_W]), .valid_o(memory_awvalid_o[b]), .ready_i(memory_awready_i[b]),
        .data_o(memory_awaddr_o[b*ADDRESS_W+:ADDRESS_W]));
      spill_register #(.WIDTH(AXI_W + STRB_W + 1), .SPILL(SPILL)) i_w (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(bank_wvalid[b]), .ready_o(bank_wready[b]),
        .data_i({bank_wlast[b], bank_wstrb[b*STRB_W+:STRB_W], bank_wdata[b*AXI_W+:AXI_W]}), .valid_o(memory_wvalid_o[b]),
        .ready_i(memory_wready_i[b]),
        .data_o({memory_wlast_o[b], memory_wstrb_o[b*STRB_W+:STRB_W], memory_wdata_o[b*AXI_W+:AXI_W]}));
      spill_register #(.WIDTH(2), .SPILL(SPILL)) i_b (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(memory_bvalid_i[b]), .ready_o(memory_bready_o[b]), .data_i(memory_bresp_i[b*2+:2]),
        .valid_o(bank_bvalid[b]), .ready_i(bank_bready[b]), .data_o(bank_bresp[b*2+:2]));
    end
  endgenerate
  gradient_memory #(
    .PORTS(PORTS), .LANES(LANES), .ADDR_W(ADDR_W), .QUEUE(QUEUE), .BUFFER(BUFFER), .BANKS(BANKS), .LINE_WORDS(BURST_WORDS),
    .LINES(LINES), .AXI_W(AXI_W), .ADDRESS_W(ADDRESS_W)
  ) i_memory (
    .clk_i(clk_i), .rst_ni(rst_ni), .base_i(memory_base[ADDRESS_W-13:0]), .coming_valid_i(coming_valid),
    .coming_add_i(coming_add), .coming_address_i(coming_address), .coming_lanes_i(coming_lanes), .ready_o(memory_ready),
    .read_valid_i(read_valid), .read_data_o(read_data), .sum_lanes_i(sum_lanes), .sum_data_i(sum_data),
    .store_valid_i(store_valid), .store_lanes_i(store_lanes), .store_data_i(store_data), .dma_valid_i(dma_valid),
    .dma_address_i(dma_address), .dma_lanes_i(dma_lanes), .dma_data_valid_o(dma_data_valid), .dma_data_o(dma_data),
    .busy_o(memory_busy), .error_o(memory_error), .araddr_o(bank_araddr), .arlen_o(memory_arlen_o),
    .arsize_o(memory_arsize_o), .arburst_o(memory_arburst_o), .arvalid_o(bank_arvalid), .arready_i(bank_arready),
    .rdata_i(bank_rdata), .rresp_i(bank_rresp), .rlast_i(bank_rlast), .rvalid_i(bank_rvalid), .rready_o(bank_rready),
    .awaddr_o(bank_awaddr), .awlen_o(memory_awlen_o), .awsize_o(memory_awsize_o), .awburst_o(memory_awburst_o),
    .awvalid_o(bank_awvalid), .awready_i(bank_awready), .wdata_o(bank_wdata), .wstrb_o(bank_wstrb), .wlast_o(bank_wlast),
    .wvalid_o(bank_wvalid), .wready_i(bank_wready), .bresp_i(bank_bresp), .bvalid_i(bank_bvalid), .bready_o(bank_bready));
  // These addresses are unused because gradient_memory receives them earlier, as coming_address.
  wire unused_addresses = &{1'b0, read_address, sum_valid, sum_address, store_address};

  lite_tile #(
    .LINKS(LINKS), .PORTS(PORTS), .FLIT_W(FLIT_W), .VCS(VCS), .DEPTH(DEPTH), .CREDITS(CREDITS), .ENTRIES(ENTRIES),
    .FLOWS(FLOWS), .QUEUE(QUEUE), .EJECT_CREDITS(EJECT_CREDITS), .BUFFER(BUFFER), .WAITS(1), .PARITY(PARITY), .ECC(ECC),
    .COUNTERS(COUNTERS), .GATES(GATES), .SPILL(SPILL), .ITER_W(ITER_W), .TOTAL_W(TOTAL_W),
    .TIME_W(TIME_W), .FLOW_W(FLOW_W), .COUNT_W(COUNT_W), .STEP_W(STEP_W), .ADDR_W(ADDR_W), .LEN_W(LEN_W),
    .FLITS_W(FLITS_W), .PACKETS_W(PACKETS_W), .SOURCE_W(SOURCE_W), .HOP_PORT_W(HOP_PORT_W), .HOPS(HOPS)
  ) i_lite (
    .clk_i(clk_i), .rst_ni(rst_ni), .awaddr_i(awaddr_i), .awvalid_i(awvalid_i), .awready_o(awready_o), .wdata_i(wdata_i),
    .wstrb_i(wstrb_i), .wvalid_i(wvalid_i), .wready_o(wready_o), .bresp_o(bresp_o), .bvalid_o(bvalid_o),
    .bready_i(bready_i), .araddr_i(araddr_i), .arvalid_i(arvalid_i), .arready_o(arready_o), .rdata_o(rdata_o),
    .rresp_o(rresp_o), .rvalid_o(rvalid_o), .rready_i(rready_i), .irq_o(irq_o), .memory_base_o(memory_base),
    .memory_error_i(memory_error), .dma_valid_o(dma_valid), .dma_address_o(dma_address),
    .dma_lanes_o(dma_lanes), .dma_data_valid_i(dma_data_valid), .dma_data_i(dma_data), .read_valid_o(read_valid),
    .read_address_o(read_address), .read_data_i(read_data), .sum_valid_o(sum_valid), .sum_address_o(sum_address),
    .sum_lanes_o(sum_lanes), .sum_data_o(sum_data), .store_valid_o(store_valid), .store_address_o(store_address),
    .store_lanes_o(store_lanes), .store_data_o(store_data), .coming_valid_o(coming_valid), .coming_add_o(coming_add),
    .coming_address_o(coming_address), .coming_lanes_o(coming_lanes), .memory_ready_i(memory_ready), .memory_busy_i(memory_busy),
    .flit_valid_o(flit_valid_o), .flit_vc_o(flit_vc_o), .flit_head_o(flit_head_o), .flit_tail_o(flit_tail_o),
    .flit_o(flit_o), .parity_o(parity_o), .parity_i(parity_i), .credit_i(credit_i), .flit_valid_i(flit_valid_i), .flit_vc_i(flit_vc_i),
    .flit_head_i(flit_head_i), .flit_tail_i(flit_tail_i), .flit_i(flit_i), .credit_o(credit_o));
endmodule
`default_nettype wire

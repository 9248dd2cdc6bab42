#include "rtl_writer/verilog_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fabric/route_timing.h"

namespace coppice::rtl_writer {
namespace {

constexpr const char* kTop = R"(// Written by coppice rtl: @NAME@, @TILES@ tiles and @SWITCHES@ switches.
//
// The registers (rtl/network/register_bus.v, README.md) start the tiles; irq_o signals that a tile is done. The memory
// ports of tile N are those of rtl/tile/tile.v: memory responds in the next cycle (read) or after DMA_LATENCY - 1
// cycles (dma).
`default_nettype none
module network (
  input  wire                    clk_i,
  input  wire                    rst_ni,
@MEMORY_PORTS@  input  wire [23:0]             awaddr_i,
  input  wire                    awvalid_i,
  output wire                    awready_o,
  input  wire [31:0]             wdata_i,
  input  wire [3:0]              wstrb_i,
  input  wire                    wvalid_i,
  output wire                    wready_o,
  output wire [1:0]              bresp_o,
  output wire                    bvalid_o,
  input  wire                    bready_i,
  input  wire [23:0]             araddr_i,
  input  wire                    arvalid_i,
  output wire                    arready_o,
  output wire [31:0]             rdata_o,
  output wire [1:0]              rresp_o,
  output wire                    rvalid_o,
  input  wire                    rready_i,
  output wire [@LAST_TILE@:0]    irq_o
);
  `include "network_parameters.vh"
  wire [7:0]          awaddr, araddr;
  wire [TILES-1:0]    write, read, bready, rready, awready, wready, bvalid, arready, rvalid;
  wire [31:0]         wdata;
  wire [3:0]          wstrb;
  wire [TILES*2-1:0]  bresp, rresp;
  wire [TILES*32-1:0] rdata;
  register_bus #(.TILES(TILES)) i_registers (
    .clk_i(clk_i), .rst_ni(rst_ni), .awaddr_i(awaddr_i), .awvalid_i(awvalid_i), .awready_o(awready_o), .wdata_i(wdata_i),
    .wstrb_i(wstrb_i), .wvalid_i(wvalid_i), .wready_o(wready_o), .bresp_o(bresp_o), .bvalid_o(bvalid_o), .bready_i(bready_i),
    .araddr_i(araddr_i), .arvalid_i(arvalid_i), .arready_o(arready_o), .rdata_o(rdata_o), .rresp_o(rresp_o),
    .rvalid_o(rvalid_o), .rready_i(rready_i), .tile_awaddr_o(awaddr), .tile_write_o(write), .tile_wdata_o(wdata),
    .tile_wstrb_o(wstrb), .tile_bresp_i(bresp), .tile_bready_o(bready), .tile_araddr_o(araddr), .tile_read_o(read),
    .tile_rdata_i(rdata), .tile_rresp_i(rresp), .tile_rready_o(rready));
  wire unused = &{1'b0, awready, wready, bvalid, arready, rvalid};  // tiles accept requests immediately
)";

// A signal of a tile's memory port: its name, width, and direction as seen from the tile.
struct MemorySignal {
  const char* direction;
  const char* name;
  const char* width;
};
constexpr MemorySignal kMemorySignals[] = {
    {"output", "dma_valid", "@PORTS@"},         {"output", "dma_address", "@PORTS@*24"},
    {"input", "dma_data_valid", "@PORTS@"},     {"input", "dma_data", "@PORTS@*@FLIT@"},
    {"output", "read_valid", "@PORTS@"},        {"output", "read_address", "@PORTS@*24"},
    {"input", "read_data", "@PORTS@*@FLIT@"},   {"output", "sum_valid", "@PORTS@"},
    {"output", "sum_address", "@PORTS@*24"},    {"output", "sum_lanes", "@PORTS@*@FLIT@/32"},
    {"output", "sum_data", "@PORTS@*@FLIT@"},   {"output", "store_valid", "@PORTS@"},
    {"output", "store_address", "@PORTS@*24"},  {"output", "store_lanes", "@PORTS@*@FLIT@/32"},
    {"output", "store_data", "@PORTS@*@FLIT@"},
};

constexpr const char* kNodeWires = R"(
  // @WHAT@ @NODE@.
  wire [@LINKS@-1:0]        out_valid_@NODE@, out_head_@NODE@, out_tail_@NODE@, in_valid_@NODE@, in_head_@NODE@, in_tail_@NODE@;
  wire [@LINKS@*VC_W-1:0]   out_vc_@NODE@, in_vc_@NODE@;
  wire [@LINKS@*FLIT_W-1:0] out_flit_@NODE@, in_flit_@NODE@;
  wire [@LINKS@*VCS-1:0]    out_credit_@NODE@, in_credit_@NODE@;  // outputs receive credits, inputs return them
)";

constexpr const char* kLinkPorts =
    R"(.flit_valid_o(out_valid_@NODE@), .flit_vc_o(out_vc_@NODE@), .flit_head_o(out_head_@NODE@), .flit_tail_o(out_tail_@NODE@),
    .flit_o(out_flit_@NODE@), .credit_i(out_credit_@NODE@), .flit_valid_i(in_valid_@NODE@), .flit_vc_i(in_vc_@NODE@),
    .flit_head_i(in_head_@NODE@), .flit_tail_i(in_tail_@NODE@), .flit_i(in_flit_@NODE@), .credit_o(in_credit_@NODE@))";

constexpr const char* kTile = R"(  wire [31:0]               unused_base_@NODE@;
  wire [@LINKS@-1:0]        unused_parity_@NODE@;
  wire [PORTS*FLIT_W/32-1:0] unused_dma_lanes_@NODE@, unused_coming_lanes_@NODE@;
  wire [PORTS-1:0]          unused_coming_valid_@NODE@, unused_coming_add_@NODE@;
  wire [PORTS*24-1:0]       unused_coming_address_@NODE@;
  lite_tile #(
    .LINKS(@LINKS@), .PORTS(PORTS), .FLIT_W(FLIT_W), .VCS(VCS), .DEPTH(DEPTH), .CREDITS(CREDITS), .ENTRIES(ENTRIES),
    .FLOWS(FLOWS), .QUEUE(QUEUE), .COUNTERS(1), .HOP_PORT_W(HOP_PORT_W), .HOPS(HOPS)
  ) tile_@NODE@ (
    .clk_i(clk_i), .rst_ni(rst_ni), .awaddr_i(awaddr), .awvalid_i(write[@NODE@]), .awready_o(awready[@NODE@]), .wdata_i(wdata),
    .wstrb_i(wstrb), .wvalid_i(write[@NODE@]), .wready_o(wready[@NODE@]), .bresp_o(bresp[@NODE@*2+:2]), .bvalid_o(bvalid[@NODE@]),
    .bready_i(bready[@NODE@]), .araddr_i(araddr), .arvalid_i(read[@NODE@]), .arready_o(arready[@NODE@]),
    .rdata_o(rdata[@NODE@*32+:32]), .rresp_o(rresp[@NODE@*2+:2]), .rvalid_o(rvalid[@NODE@]), .rready_i(rready[@NODE@]),
    .irq_o(irq_o[@NODE@]), .memory_base_o(unused_base_@NODE@), .memory_error_i(1'b0),
    .dma_valid_o(tile_@NODE@_dma_valid_o), .dma_address_o(tile_@NODE@_dma_address_o), .dma_lanes_o(unused_dma_lanes_@NODE@),
    .dma_data_valid_i(tile_@NODE@_dma_data_valid_i), .dma_data_i(tile_@NODE@_dma_data_i),
    .read_valid_o(tile_@NODE@_read_valid_o), .read_address_o(tile_@NODE@_read_address_o), .read_data_i(tile_@NODE@_read_data_i),
    .sum_valid_o(tile_@NODE@_sum_valid_o), .sum_address_o(tile_@NODE@_sum_address_o), .sum_lanes_o(tile_@NODE@_sum_lanes_o),
    .sum_data_o(tile_@NODE@_sum_data_o), .store_valid_o(tile_@NODE@_store_valid_o),
    .store_address_o(tile_@NODE@_store_address_o), .store_lanes_o(tile_@NODE@_store_lanes_o),
    .store_data_o(tile_@NODE@_store_data_o), .coming_valid_o(unused_coming_valid_@NODE@),
    .coming_add_o(unused_coming_add_@NODE@), .coming_address_o(unused_coming_address_@NODE@),
    .coming_lanes_o(unused_coming_lanes_@NODE@), .memory_ready_i({PORTS{1'b1}}), .memory_busy_i(1'b0),
    .parity_o(unused_parity_@NODE@), .parity_i({@LINKS@{1'b0}}),
    @LINK_PORTS@);
)";

constexpr const char* kSwitch = R"(  switch #(
    .LINKS(@LINKS@), .FLIT_W(FLIT_W), .VCS(VCS), .DEPTH(DEPTH), .CREDITS(CREDITS), .ROUTE_AT(ROUTE_AT), .HOP_PORT_W(HOP_PORT_W),
    .HOPS(HOPS)
  ) switch_@NODE@ (
    .clk_i(clk_i), .rst_ni(rst_ni),
    @LINK_PORTS@);
)";

constexpr const char* kChannel =
    R"(  link #(.VCS(VCS), .FLIT_W(FLIT_W), .LATENCY(@LATENCY@)) link_@ID@ (  // port @OUT@ of node @SRC@ to port @IN@ of node @DST@
    .clk_i(clk_i), .rst_ni(rst_ni), .flit_valid_i(out_valid_@SRC@[@OUT@]), .flit_vc_i(out_vc_@SRC@[@OUT@*VC_W+:VC_W]),
    .flit_head_i(out_head_@SRC@[@OUT@]), .flit_tail_i(out_tail_@SRC@[@OUT@]), .flit_i(out_flit_@SRC@[@OUT@*FLIT_W+:FLIT_W]),
    .credit_o(out_credit_@SRC@[@OUT@*VCS+:VCS]), .flit_valid_o(in_valid_@DST@[@IN@]), .flit_vc_o(in_vc_@DST@[@IN@*VC_W+:VC_W]),
    .flit_head_o(in_head_@DST@[@IN@]), .flit_tail_o(in_tail_@DST@[@IN@]), .flit_o(in_flit_@DST@[@IN@*FLIT_W+:FLIT_W]),
    .credit_i(in_credit_@DST@[@IN@*VCS+:VCS]));
)";

// Connections for ports that have a channel in only one direction: a router port without an incoming channel
// receives no flits, and one without an outgoing channel receives no credits.
constexpr const char* kNoInput =
    R"(  assign {in_valid_@NODE@[@PORT@], in_head_@NODE@[@PORT@], in_tail_@NODE@[@PORT@]} = 3'd0;
  assign in_vc_@NODE@[@PORT@*VC_W+:VC_W] = {VC_W{1'b0}};
  assign in_flit_@NODE@[@PORT@*FLIT_W+:FLIT_W] = {FLIT_W{1'b0}};
  wire unused_in_@NODE@_@PORT@ = &{1'b0, in_credit_@NODE@[@PORT@*VCS+:VCS]};
)";
constexpr const char* kNoOutput = R"(  assign out_credit_@NODE@[@PORT@*VCS+:VCS] = {VCS{1'b0}};
  wire unused_out_@NODE@_@PORT@ = &{1'b0, out_valid_@NODE@[@PORT@], out_head_@NODE@[@PORT@], out_tail_@NODE@[@PORT@],
                                    out_vc_@NODE@[@PORT@*VC_W+:VC_W], out_flit_@NODE@[@PORT@*FLIT_W+:FLIT_W]};
)";

constexpr const char* kBenchTile = R"(
  wire [PORTS-1:0]           dma_valid_@NODE@, dma_data_valid_@NODE@, read_valid_@NODE@, sum_valid_@NODE@, store_valid_@NODE@;
  wire [PORTS*24-1:0]        dma_address_@NODE@, read_address_@NODE@, sum_address_@NODE@, store_address_@NODE@;
  wire [PORTS*FLIT_W/32-1:0] sum_lanes_@NODE@, store_lanes_@NODE@;
  wire [PORTS*FLIT_W-1:0]    dma_data_@NODE@, read_data_@NODE@, sum_data_@NODE@, store_data_@NODE@;
  scratchpad #(
    .WORDS(WORDS), .PORTS(PORTS), .LANES(FLIT_W / 32), .DMA_LATENCY(DMA_LATENCY),
    .BEFORE("images/memory_@NODE@_before.hex"), .AFTER("images/memory_@NODE@_after.hex")
  ) i_memory_@NODE@ (
    .clk_i(clk), .rst_ni(rst_n), .dma_valid_i(dma_valid_@NODE@), .dma_address_i(dma_address_@NODE@),
    .dma_data_valid_o(dma_data_valid_@NODE@), .dma_data_o(dma_data_@NODE@), .read_valid_i(read_valid_@NODE@),
    .read_address_i(read_address_@NODE@), .read_data_o(read_data_@NODE@), .sum_valid_i(sum_valid_@NODE@),
    .sum_address_i(sum_address_@NODE@), .sum_lanes_i(sum_lanes_@NODE@), .sum_data_i(sum_data_@NODE@),
    .store_valid_i(store_valid_@NODE@), .store_address_i(store_address_@NODE@), .store_lanes_i(store_lanes_@NODE@),
    .store_data_i(store_data_@NODE@));
  assign counts[@NODE@] = |{i_network.tile_@NODE@.i_tile.i_ni.added3_q, i_network.tile_@NODE@.i_tile.i_ni.arrived_store};
  assign error[@NODE@*5+:5] = i_network.tile_@NODE@.error;
  assign held[@NODE@] = |i_network.tile_@NODE@.i_tile.i_ni.conflict;
)";

constexpr const char* kBenchNetwork = R"(
  wire        unused_arready, unused_rvalid;
  wire [31:0] unused_rdata;
  wire [1:0]  unused_rresp;
  network i_network (
@MEMORY_CONNECTIONS@    .clk_i(clk), .rst_ni(rst_n), .awaddr_i(awaddr), .awvalid_i(awvalid), .awready_o(awready), .wdata_i(wdata), .wstrb_i(wstrb),
    .wvalid_i(wvalid), .wready_o(wready), .bresp_o(bresp), .bvalid_o(bvalid), .bready_i(bready), .araddr_i(24'd0),
    .arvalid_i(1'b0), .arready_o(unused_arready), .rdata_o(unused_rdata), .rresp_o(unused_rresp), .rvalid_o(unused_rvalid),
    .rready_i(1'b1), .irq_o(irq));
  assign starts = i_network.tile_0.control_write && i_network.tile_0.control;

  task check_memories;
    begin
)";

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string memory_ports(const Design& design, const Shape& shape) {
  std::string text;
  for (NodeId tile = 0; tile < design.tiles(); ++tile) {
    for (const MemorySignal& signal : kMemorySignals) {
      const bool input = std::string_view(signal.direction) == "input";
      text += fmt::format("  {:<6} wire [{}-1:0] tile_{}_{}_{},\n", signal.direction, signal.width, tile,
                          signal.name, input ? "i" : "o");
    }
  }
  return fill_in(std::move(text), {{"PORTS", number(shape.ports)}, {"FLIT", number(shape.flit_bits)}});
}

std::string node_text(const Design& design, NodeId node) {
  const topology::Topology& topology = design.topology;
  const bool tile = topology.is_accelerator(node);
  const int links = links_of(topology, node);
  std::string text = std::string(kNodeWires) + (tile ? kTile : kSwitch);
  text = fill_in(std::move(text), {{"LINK_PORTS", kLinkPorts}});
  const auto tie = [&](const char* how, std::size_t first) {
    for (auto port = static_cast<int>(first); port < links; ++port) {
      text += fill_in(how, {{"PORT", number(port)}});
    }
  };
  tie(kNoInput, topology.in_channels(node).size());
  tie(kNoOutput, topology.out_channels(node).size());
  return fill_in(std::move(text),
                 {{"WHAT", tile ? "Tile" : "Switch"}, {"NODE", number(node)}, {"LINKS", number(links)}});
}

}  // namespace

std::string fill_in(std::string text, const std::vector<Replacement>& replacements) {
  for (const Replacement& replacement : replacements) {
    const std::string mark = "@" + replacement.name + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + replacement.value.size())) {
      text.replace(at, mark.size(), replacement.value);
    }
  }
  return text;
}

std::string parameters_text(const Design& design, const Shape& shape, std::int64_t boot_writes,
                            Cycles model_cycles) {
  constexpr int kQueue = 64;  // in flits: room for the ejection credits of 8 virtual channels
  struct Parameter {
    const char* name;
    std::int64_t value;
    const char* meaning;
  };
  const Parameter parameters[] = {
      {"TILES", design.tiles(), "accelerators"},
      {"PORTS", shape.ports, "ports of a network interface"},
      {"FLIT_W", shape.flit_bits, "bits of a flit"},
      {"VCS", shape.vcs, "virtual channels"},
      {"VC_W", shape.vc_bits, "bits of a virtual channel's number"},
      {"DEPTH", shape.depth, "flits in the buffer of a router's virtual channel"},
      {"CREDITS", shape.credits, "slots of that buffer that a neighbour uses"},
      {"ENTRIES", shape.entries, "lines of a port's table"},
      {"FLOWS", shape.flows, "maximum number of flows"},
      {"QUEUE", kQueue, "flits that may wait for the reduction unit at a port"},
      {"HOP_PORT_W", shape.hop_port_bits, "bits of a port number in a route"},
      {"HOPS", shape.hops, "hops in the longest route"},
      {"ROUTE_AT", kHeadBits, "first bit of the route in a head flit"},
      {"DMA_LATENCY", design.system().ni.dma_latency, "cycles from a request to injection"},
      {"WORDS", shape.words, "words of a tile's gradient buffer"},
      {"BOOT_WRITES", boot_writes, "lines of images/boot.hex"},
      {"MODEL_CYCLES", model_cycles, "cycles that coppice run reports"},
  };
  std::string text =
      "// Written by coppice rtl. Not every module uses every parameter.\n"
      "/* verilator lint_off UNUSEDPARAM */\n";
  for (const Parameter& parameter : parameters) {
    text += fmt::format("localparam {} = {};  // {}\n", parameter.name, parameter.value, parameter.meaning);
  }
  return text + "/* verilator lint_on UNUSEDPARAM */\n";
}

std::string network_text(const Design& design, const Shape& shape) {
  const topology::Topology& topology = design.topology;
  std::string text = fill_in(kTop, {{"NAME", topology.name()},
                                    {"TILES", number(design.tiles())},
                                    {"SWITCHES", number(topology.num_switches())},
                                    {"MEMORY_PORTS", memory_ports(design, shape)},
                                    {"LAST_TILE", number(design.tiles() - 1)}});
  for (NodeId node = 0; node < topology.num_nodes(); ++node) text += node_text(design, node);
  text += "\n  // Channels.\n";
  for (std::size_t id = 0; id < topology.channels().size(); ++id) {
    const topology::Channel& channel = topology.channels()[id];
    text += fill_in(kChannel, {{"LATENCY", number(fabric::flit_latency(design.system(), channel))},
                               {"ID", number(static_cast<std::int64_t>(id))},
                               {"SRC", number(channel.src)},
                               {"OUT", number(channel.src_port)},
                               {"DST", number(channel.dst)},
                               {"IN", number(channel.dst_port)}});
  }
  return text + "endmodule\n`default_nettype wire\n";
}

std::string connections_text(const Design& design) {
  std::string text = "// Written by coppice rtl; included by bench.v.";
  std::string memories;
  std::string checks;
  for (NodeId tile = 0; tile < design.tiles(); ++tile) {
    text += fill_in(kBenchTile, {{"NODE", number(tile)}});
    for (const MemorySignal& signal : kMemorySignals) {
      const bool input = std::string_view(signal.direction) == "input";
      memories += fmt::format("    .tile_{0}_{1}_{2}({1}_{0}),\n", tile, signal.name, input ? "i" : "o");
    }
    checks +=
        fmt::format("      i_memory_{0}.check({0});\n      wrong = wrong + i_memory_{0}.wrong;\n", tile);
  }
  text += fill_in(kBenchNetwork, {{"MEMORY_CONNECTIONS", memories}});
  return text + checks + "    end\n  endtask\n";
}

}  // namespace coppice::rtl_writer

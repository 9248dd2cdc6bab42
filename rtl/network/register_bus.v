// Makes the registers of all tiles of a network accessible through one AXI4-Lite port. Bits 23 to 8 of an address
// select the tile, and bits 7 to 0 the register (docs/hardware/registers.md). A write to tile ffff reaches all tiles in
// the same cycle. An access to a tile that does not exist is answered with DECERR.
//
// Limits: one write and one read can be in progress at a time. Tiles must accept every request at once, as
// tile_registers does without SPILL.
`default_nettype none
module register_bus #(
  parameter TILES = 4  // at most 65535
) (
  input  wire                clk_i,
  input  wire                rst_ni,
  // AXI4-Lite port for software.
  input  wire [23:0]         awaddr_i,
  input  wire                awvalid_i,
  output wire                awready_o,
  input  wire [31:0]         wdata_i,
  input  wire [3:0]          wstrb_i,
  input  wire                wvalid_i,
  output wire                wready_o,
  output wire [1:0]          bresp_o,
  output wire                bvalid_o,
  input  wire                bready_i,
  input  wire [23:0]         araddr_i,
  input  wire                arvalid_i,
  output wire                arready_o,
  output reg  [31:0]         rdata_o,
  output wire [1:0]          rresp_o,
  output wire                rvalid_o,
  input  wire                rready_i,
  // Requests to the tiles, and their responses. The address and data of a write are valid in the same cycle.
  output wire [7:0]          tile_awaddr_o,
  output wire [TILES-1:0]    tile_write_o,
  output wire [31:0]         tile_wdata_o,
  output wire [3:0]          tile_wstrb_o,
  input  wire [TILES*2-1:0]  tile_bresp_i,
  output wire [TILES-1:0]    tile_bready_o,
  output wire [7:0]          tile_araddr_o,
  output wire [TILES-1:0]    tile_read_o,
  input  wire [TILES*32-1:0] tile_rdata_i,
  input  wire [TILES*2-1:0]  tile_rresp_i,
  output wire [TILES-1:0]    tile_rready_o
);
  localparam [1:0] OKAY = 2'b00, DECERR = 2'b11;
  reg writes_q, reads_q;                   // a write, or a read, has not been answered yet
  reg [TILES-1:0] written_q, read_q;       // tiles that answer the write, or the read; 0 if the tile does not exist
  wire write = awvalid_i && wvalid_i && !writes_q;
  wire read = arvalid_i && !reads_q;
  assign {awready_o, wready_o} = {2{write}};
  assign arready_o = read;
  assign bvalid_o = writes_q;
  assign rvalid_o = reads_q;
  assign tile_awaddr_o = awaddr_i[7:0];
  assign tile_wdata_o = wdata_i;
  assign tile_wstrb_o = wstrb_i;
  assign tile_araddr_o = araddr_i[7:0];
  assign tile_bready_o = written_q & {TILES{bready_i}};
  assign tile_rready_o = read_q & {TILES{rready_i}};

  reg [1:0] bresp, rresp;
  integer i;
  always @* begin
    bresp = OKAY;
    rresp = OKAY;
    rdata_o = 32'd0;
    for (i = 0; i < TILES; i = i + 1) begin
      if (written_q[i]) bresp = bresp | tile_bresp_i[i*2+:2];
      if (read_q[i]) rresp = rresp | tile_rresp_i[i*2+:2];
      if (read_q[i]) rdata_o = rdata_o | tile_rdata_i[i*32+:32];
    end
  end
  assign bresp_o = |written_q ? bresp : DECERR;
  assign rresp_o = |read_q ? rresp : DECERR;

  genvar t;
  generate
    for (t = 0; t < TILES; t = t + 1) begin : g_tile
      localparam [15:0] SELF = t;
      assign tile_write_o[t] = write && (awaddr_i[23:8] == SELF || awaddr_i[23:8] == 16'hffff);
      assign tile_read_o[t] = read && araddr_i[23:8] == SELF;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      writes_q <= 1'b0;
      reads_q <= 1'b0;
      written_q <= {TILES{1'b0}};
      read_q <= {TILES{1'b0}};
    end else begin
      if (write) begin
        writes_q <= 1'b1;
        written_q <= tile_write_o;
      end else if (bready_i) writes_q <= 1'b0;
      if (read) begin
        reads_q <= 1'b1;
        read_q <= tile_read_o;
      end else if (rready_i) reads_q <= 1'b0;
    end
  end
endmodule
`default_nettype wire

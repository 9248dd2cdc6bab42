// scripts/hardware/registers makes this of rtl/tile/registers.yaml: change that.
//
// Registers of a tile behind AXI4-Lite, 32 bits wide. A write is taken when its address and its data are there and no
// response waits, and acts in the cycle behind; a read is answered in the cycle behind its address. Byte strobes hold for
// registers that are kept. An address without a register, and a write to one that cannot be written, is answered by
// SLVERR and does nothing.
`default_nettype none
module tile_registers (
  input  wire           clk_i,
  input  wire           rst_ni,
  input  wire [7:0]     awaddr_i,
  input  wire           awvalid_i,
  output wire           awready_o,
  input  wire [31:0]    wdata_i,
  input  wire [3:0]     wstrb_i,
  input  wire           wvalid_i,
  output wire           wready_o,
  output wire [1:0]     bresp_o,
  output wire           bvalid_o,
  input  wire           bready_i,
  input  wire [7:0]     araddr_i,
  input  wire           arvalid_i,
  output wire           arready_o,
  output wire [31:0]    rdata_o,
  output wire [1:0]     rresp_o,
  output wire           rvalid_o,
  input  wire           rready_i,
  input  wire [31:0]    id_i,
  input  wire [31:0]    shape_i,
  output reg            control_write_o,
  output reg  [0:0]     control_o,
  input  wire [1:0]     status_i,
  input  wire [4:0]     error_i,
  input  wire [1:0]     interrupt_set_i,
  output wire [1:0]     interrupt_o,
  output wire [1:0]     interrupt_enable_o,
  output wire [2:0]     config_o,
  output wire [23:0]    absorbs_o,
  output wire [7:0]     dma_latency_o,
  output wire [19:0]    payload_o,
  output wire [9:0]     flow_stride_o,
  output wire [23:0]    address_stride_o,
  output wire [15:0]    step_stride_o,
  output wire [9:0]     source_o,
  output wire [15:0]    arrivals_o,
  input  wire [15:0]    arrived_i,
  input  wire [31:0]    now_i,
  output reg            table_write_o,
  output reg  [23:0]    table_o,
  output wire [31:0]    memory_base_o,
  input  wire [15:0]    corrected_i,
  input  wire [31:0]    cycles_i,
  input  wire [31:0]    sent_flits_i,
  input  wire [31:0]    injected_flits_i,
  input  wire [31:0]    ejected_flits_i,
  input  wire [31:0]    lockstep_waits_i,
  input  wire [31:0]    dependency_waits_i,
  input  wire [31:0]    place_waits_i,
  output wire [255:0]   line_o,
  output wire [127:0]   lines_o,
  output wire [127:0]   count_o
);
  localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;
  reg        bvalid_q, rvalid_q, bad_write_q, bad_read_q;
  reg [31:0] rdata_q;
  wire write = awvalid_i && wvalid_i && (!bvalid_q || bready_i);
  wire read = arvalid_i && (!rvalid_q || rready_i);
  wire [5:0] to = awaddr_i[7:2];
  wire [5:0] from = araddr_i[7:2];
  wire [31:0] bytes = {{8{wstrb_i[3]}}, {8{wstrb_i[2]}}, {8{wstrb_i[1]}}, {8{wstrb_i[0]}}};
  assign awready_o = write;
  assign wready_o = write;
  assign bvalid_o = bvalid_q;
  assign bresp_o = bad_write_q ? SLVERR : OKAY;
  assign arready_o = read;
  assign rvalid_o = rvalid_q;
  assign rdata_o = rdata_q;
  assign rresp_o = bad_read_q ? SLVERR : OKAY;
  wire unused = &{1'b0, awaddr_i[1:0], araddr_i[1:0], bytes};  // words only

  reg [1:0] interrupt_q;
  assign interrupt_o = interrupt_q;
  reg [1:0] interrupt_enable_q;
  assign interrupt_enable_o = interrupt_enable_q;
  reg [2:0] config_q;
  assign config_o = config_q;
  reg [23:0] absorbs_q;
  assign absorbs_o = absorbs_q;
  reg [7:0] dma_latency_q;
  assign dma_latency_o = dma_latency_q;
  reg [19:0] payload_q;
  assign payload_o = payload_q;
  reg [9:0] flow_stride_q;
  assign flow_stride_o = flow_stride_q;
  reg [23:0] address_stride_q;
  assign address_stride_o = address_stride_q;
  reg [15:0] step_stride_q;
  assign step_stride_o = step_stride_q;
  reg [9:0] source_q;
  assign source_o = source_q;
  reg [15:0] arrivals_q;
  assign arrivals_o = arrivals_q;
  reg [31:0] memory_base_q;
  assign memory_base_o = memory_base_q;
  reg [255:0] line_q;
  assign line_o = line_q;
  reg [127:0] lines_q;
  assign lines_o = lines_q;
  reg [127:0] count_q;
  assign count_o = count_q;

  reg known_write;
  always @* begin
    case (to)
      6'h02: known_write = 1'b1;
      6'h05: known_write = 1'b1;
      6'h06: known_write = 1'b1;
      6'h07: known_write = 1'b1;
      6'h08: known_write = 1'b1;
      6'h09: known_write = 1'b1;
      6'h0a: known_write = 1'b1;
      6'h0b: known_write = 1'b1;
      6'h0c: known_write = 1'b1;
      6'h0d: known_write = 1'b1;
      6'h0e: known_write = 1'b1;
      6'h0f: known_write = 1'b1;
      6'h12: known_write = 1'b1;
      6'h13: known_write = 1'b1;
      6'h20, 6'h21, 6'h22, 6'h23, 6'h24, 6'h25, 6'h26, 6'h27: known_write = 1'b1;
      6'h30, 6'h31, 6'h32, 6'h33, 6'h34, 6'h35, 6'h36, 6'h37: known_write = 1'b1;
      6'h38, 6'h39, 6'h3a, 6'h3b, 6'h3c, 6'h3d, 6'h3e, 6'h3f: known_write = 1'b1;
      default: known_write = 1'b0;
    endcase
  end

  reg known_read;
  reg [31:0] value;
  always @* begin
    known_read = 1'b1;
    case (from)
      6'h00: value = id_i;
      6'h01: value = shape_i;
      6'h02: value = 32'd0;
      6'h03: value = {30'd0, status_i};
      6'h04: value = {27'd0, error_i};
      6'h05: value = {30'd0, interrupt_q};
      6'h06: value = {30'd0, interrupt_enable_q};
      6'h07: value = {29'd0, config_q};
      6'h08: value = {8'd0, absorbs_q};
      6'h09: value = {24'd0, dma_latency_q};
      6'h0a: value = {12'd0, payload_q};
      6'h0b: value = {22'd0, flow_stride_q};
      6'h0c: value = {8'd0, address_stride_q};
      6'h0d: value = {16'd0, step_stride_q};
      6'h0e: value = {22'd0, source_q};
      6'h0f: value = {16'd0, arrivals_q};
      6'h10: value = {16'd0, arrived_i};
      6'h11: value = now_i;
      6'h12: value = 32'd0;
      6'h13: value = memory_base_q;
      6'h14: value = {16'd0, corrected_i};
      6'h18: value = cycles_i;
      6'h19: value = sent_flits_i;
      6'h1a: value = injected_flits_i;
      6'h1b: value = ejected_flits_i;
      6'h1c: value = lockstep_waits_i;
      6'h1d: value = dependency_waits_i;
      6'h1e: value = place_waits_i;
      6'h20: value = line_q[0+:32];
      6'h21: value = line_q[32+:32];
      6'h22: value = line_q[64+:32];
      6'h23: value = line_q[96+:32];
      6'h24: value = line_q[128+:32];
      6'h25: value = line_q[160+:32];
      6'h26: value = line_q[192+:32];
      6'h27: value = line_q[224+:32];
      6'h30: value = {16'd0, lines_q[0+:16]};
      6'h31: value = {16'd0, lines_q[16+:16]};
      6'h32: value = {16'd0, lines_q[32+:16]};
      6'h33: value = {16'd0, lines_q[48+:16]};
      6'h34: value = {16'd0, lines_q[64+:16]};
      6'h35: value = {16'd0, lines_q[80+:16]};
      6'h36: value = {16'd0, lines_q[96+:16]};
      6'h37: value = {16'd0, lines_q[112+:16]};
      6'h38: value = {16'd0, count_q[0+:16]};
      6'h39: value = {16'd0, count_q[16+:16]};
      6'h3a: value = {16'd0, count_q[32+:16]};
      6'h3b: value = {16'd0, count_q[48+:16]};
      6'h3c: value = {16'd0, count_q[64+:16]};
      6'h3d: value = {16'd0, count_q[80+:16]};
      6'h3e: value = {16'd0, count_q[96+:16]};
      6'h3f: value = {16'd0, count_q[112+:16]};
      default: begin
        value = 32'd0;
        known_read = 1'b0;
      end
    endcase
  end

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      bvalid_q <= 1'b0;
      rvalid_q <= 1'b0;
      control_write_o <= 1'b0;
      interrupt_q <= 2'd0;
      interrupt_enable_q <= 2'd0;
      config_q <= 3'd0;
      absorbs_q <= 24'd0;
      dma_latency_q <= 8'd4;
      payload_q <= 20'd1048572;
      flow_stride_q <= 10'd0;
      address_stride_q <= 24'd0;
      step_stride_q <= 16'd0;
      source_q <= 10'd0;
      arrivals_q <= 16'd0;
      table_write_o <= 1'b0;
      memory_base_q <= 32'd0;
      line_q <= {8{32'd0}};
      lines_q <= {8{16'd0}};
      count_q <= {8{16'd0}};
    end else begin
      if (write) bvalid_q <= 1'b1;
      else if (bready_i) bvalid_q <= 1'b0;
      if (read) rvalid_q <= 1'b1;
      else if (rready_i) rvalid_q <= 1'b0;
      control_write_o <= write && to == 6'h02;
      interrupt_q <= (interrupt_q & ~({2{write && to == 6'h05}} & wdata_i[1:0] & bytes[1:0])) | interrupt_set_i;
      if (write && to == 6'h06)
        interrupt_enable_q <= (interrupt_enable_q & ~bytes[1:0]) | (wdata_i[1:0] & bytes[1:0]);
      if (write && to == 6'h07)
        config_q <= (config_q & ~bytes[2:0]) | (wdata_i[2:0] & bytes[2:0]);
      if (write && to == 6'h08)
        absorbs_q <= (absorbs_q & ~bytes[23:0]) | (wdata_i[23:0] & bytes[23:0]);
      if (write && to == 6'h09)
        dma_latency_q <= (dma_latency_q & ~bytes[7:0]) | (wdata_i[7:0] & bytes[7:0]);
      if (write && to == 6'h0a)
        payload_q <= (payload_q & ~bytes[19:0]) | (wdata_i[19:0] & bytes[19:0]);
      if (write && to == 6'h0b)
        flow_stride_q <= (flow_stride_q & ~bytes[9:0]) | (wdata_i[9:0] & bytes[9:0]);
      if (write && to == 6'h0c)
        address_stride_q <= (address_stride_q & ~bytes[23:0]) | (wdata_i[23:0] & bytes[23:0]);
      if (write && to == 6'h0d)
        step_stride_q <= (step_stride_q & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h0e)
        source_q <= (source_q & ~bytes[9:0]) | (wdata_i[9:0] & bytes[9:0]);
      if (write && to == 6'h0f)
        arrivals_q <= (arrivals_q & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      table_write_o <= write && to == 6'h12;
      if (write && to == 6'h13)
        memory_base_q <= (memory_base_q & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h20)
        line_q[0+:32] <= (line_q[0+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h21)
        line_q[32+:32] <= (line_q[32+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h22)
        line_q[64+:32] <= (line_q[64+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h23)
        line_q[96+:32] <= (line_q[96+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h24)
        line_q[128+:32] <= (line_q[128+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h25)
        line_q[160+:32] <= (line_q[160+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h26)
        line_q[192+:32] <= (line_q[192+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h27)
        line_q[224+:32] <= (line_q[224+:32] & ~bytes[31:0]) | (wdata_i[31:0] & bytes[31:0]);
      if (write && to == 6'h30)
        lines_q[0+:16] <= (lines_q[0+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h31)
        lines_q[16+:16] <= (lines_q[16+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h32)
        lines_q[32+:16] <= (lines_q[32+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h33)
        lines_q[48+:16] <= (lines_q[48+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h34)
        lines_q[64+:16] <= (lines_q[64+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h35)
        lines_q[80+:16] <= (lines_q[80+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h36)
        lines_q[96+:16] <= (lines_q[96+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h37)
        lines_q[112+:16] <= (lines_q[112+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h38)
        count_q[0+:16] <= (count_q[0+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h39)
        count_q[16+:16] <= (count_q[16+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h3a)
        count_q[32+:16] <= (count_q[32+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h3b)
        count_q[48+:16] <= (count_q[48+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h3c)
        count_q[64+:16] <= (count_q[64+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h3d)
        count_q[80+:16] <= (count_q[80+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h3e)
        count_q[96+:16] <= (count_q[96+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
      if (write && to == 6'h3f)
        count_q[112+:16] <= (count_q[112+:16] & ~bytes[15:0]) | (wdata_i[15:0] & bytes[15:0]);
    end
    if (write) bad_write_q <= !known_write;
    if (read) begin
      rdata_q <= value;
      bad_read_q <= !known_read;
    end
    if (write) control_o <= wdata_i[0:0];
    if (write) table_o <= wdata_i[23:0];
  end
endmodule
`default_nettype wire

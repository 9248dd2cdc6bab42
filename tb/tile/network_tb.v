// Connects tiles to a network in Verilog alone: loads tables over AXI4-Lite, starts every tile, waits for the tiles'
// interrupts, and compares every word of every memory with its expected sum. tb/tile/simulate writes system.vh,
// tables.hex, sizes.hex, memory.hex and sums.hex. The last line of output is "verified", with the cycle in which the
// last message counted, or the error.
//
// RUNS collectives run one after another, and each uses the results of the previous one; sums.hex contains the sums of
// every run. The tiles' event counters must equal the counts made here.
// FLIP changes one bit of every flit on one link. Only the receiving tile must report it; sums are not checked.
// FLIP_TABLES changes one bit of every part of every table line before the first start. Sums must still be correct, and
// every tile must count as many corrections per run as its lines have parts.
// TWINS gives every tile a twin with clock gates and the same inputs. Both must have equal outputs in every cycle,
// including unknown bits.
`default_nettype none
`define MEMORY network_tb.memory
`define TABLE i_tile.i_lite.i_tile.i_ni.g_port[p].i_port.g_one.i_table
module network_tb;
  `include "system.vh"
  `include "coppice_tile.vh"
  localparam ADDR_W = 24;
  localparam TOTAL_W = 16;
  localparam TIME_W = 32;
  localparam LANES = FLIT_W / 32;
  localparam VC_W = $clog2(VCS);
  localparam INDEX_W = $clog2(ENTRIES);
  localparam LOAD_W = LINE_W + 48;  // a node, a port and an index precede the line
  localparam SIZE_W = PORTS * 16 + PORTS * TOTAL_W + TOTAL_W;

  reg clk = 1'b0, rst_n = 1'b0;
  always #1 clk = !clk;

  reg [LOAD_W-1:0] tables [0:LOADS-1];
  reg [SIZE_W-1:0] sizes [0:NODES-1];  // per node: arrivals, then the entries and then the lines of each port
  reg [31:0] memory [0:NODES*WORDS-1];
  reg [31:0] sums [0:RUNS*NODES*WORDS-1];
  initial begin
    $readmemh("tables.hex", tables);
    $readmemh("sizes.hex", sizes);
    $readmemh("memory.hex", memory, 0, NODES * WORDS - 1);
    $readmemh("sums.hex", sums);
  end

  // The bus writes to or reads from tile `target`, or writes to all tiles if `everyone` is set.
  integer    target = 0;
  reg        writes = 1'b0, reads = 1'b0, everyone = 1'b0;
  reg [7:0]  address = 8'd0;
  reg [31:0] data = 32'd0;
  wire [NODES-1:0]    unused_taken, answered, given, irq;
  wire [NODES*2-1:0]  write_response, read_response;
  wire [NODES*32-1:0] value;

  // Signals of the links, indexed by the output or by the input that a link connects.
  wire [NODES*LINKS-1:0]         out_valid, out_head, out_tail, in_valid, in_head, in_tail;
  wire [NODES*LINKS-1:0]         out_parity, in_parity;
  wire [NODES*LINKS*VC_W-1:0]    out_vc, in_vc;
  wire [NODES*LINKS*FLIT_W-1:0]  out_flit, in_flit;
  wire [NODES*LINKS*VCS-1:0]     out_credit, in_credit;  // returned by inputs; received by outputs
  wire [NODES*PORTS-1:0]         counts;  // pulse in the cycle before a message counts as arrived

  localparam PAGES = (WORDS * 4 + 4095) / 4096;  // pages of each tile's memory
  wire [NODES*BANKS-1:0] memory_failures;
  integer twin_cycles [0:NODES-1];  // number of cycles compared
  integer twin_failures [0:NODES-1];
  integer bursts_read [0:NODES*BANKS-1];
  integer bursts_written [0:NODES*BANKS-1];

  wire [NODES-1:0] strides;  // whether each tile has received the strides

  // A mask for bit FLIP, which is changed in every body flit on the first link; zero if FLIP is -1.
  wire [FLIT_W-1:0] flipped = FLIP < 0 ? {FLIT_W{1'b0}} : {{(FLIT_W - 1){1'b0}}, 1'b1} << FLIP;
  event   flip_tables;
  integer flip_seed = 1;
  function [LINE_W-1:0] one_of(input integer bits);
    one_of = {{(LINE_W - 1){1'b0}}, 1'b1} << $unsigned($random(flip_seed)) % bits;
  endfunction
  genvar n, b, p;
  generate
    for (n = 0; n < NODES * LINKS; n = n + 1) begin : g_link
      localparam FROM = SOURCES[n*16+:16];
      delay_line #(.WIDTH(VC_W + 3 + FLIT_W), .LATENCY(LATENCY)) i_flits (
        .clk_i(clk), .rst_ni(rst_n), .marks_i(out_valid[FROM]), .marks_o(in_valid[n]),
        .data_i({out_parity[FROM], out_vc[FROM*VC_W+:VC_W], out_head[FROM], out_tail[FROM],
                 out_flit[FROM*FLIT_W+:FLIT_W] ^ (n == 0 && !out_head[FROM] ? flipped : {FLIT_W{1'b0}})}),
        .data_o({in_parity[n], in_vc[n*VC_W+:VC_W], in_head[n], in_tail[n], in_flit[n*FLIT_W+:FLIT_W]}));
      wire unused;
      delay_line #(.MARKS(VCS), .WIDTH(1), .LATENCY(LATENCY)) i_credits (
        .clk_i(clk), .rst_ni(rst_n), .marks_i(out_credit[n*VCS+:VCS]), .marks_o(in_credit[FROM*VCS+:VCS]), .data_i(1'b0),
        .data_o(unused));
    end

    for (n = 0; n < NODES; n = n + 1) begin : g_tile
      localparam [9:0] SOURCE = n * 4;
      wire [BANKS*44-1:0]     araddr, awaddr;
      wire [7:0]              arlen, awlen;
      wire [2:0]              arsize, awsize;
      wire [1:0]              arburst, awburst;
      wire [BANKS-1:0]        arvalid, arready, rlast, rvalid, rready, awvalid, awready, wlast, wvalid, wready, bvalid, bready;
      wire [BANKS*AXI_W-1:0]  rdata, wdata;
      wire [BANKS*AXI_W/8-1:0] wstrb;
      wire [BANKS*2-1:0]      rresp, bresp;
      wire mine = everyone || target == n;
      axi_tile #(
        .LINKS(LINKS), .PORTS(PORTS), .FLIT_W(FLIT_W), .VCS(VCS), .DEPTH(DEPTH), .CREDITS(CREDITS), .ENTRIES(ENTRIES),
        .FLOWS(FLOWS), .BANKS(BANKS), .AXI_W(AXI_W), .BURST_WORDS(BURST_WORDS), .LINES(BANK_LINES), .SPILL(SPILL), .PARITY(PARITY),
        .COUNTERS(1), .ECC(FLIP_TABLES)
      ) i_tile (
        .clk_i(clk), .rst_ni(rst_n), .awaddr_i(address), .awvalid_i(writes && mine), .awready_o(unused_taken[n]), .wdata_i(data),
        .wstrb_i(4'hf), .wvalid_i(writes && mine), .wready_o(), .bresp_o(write_response[n*2+:2]), .bvalid_o(answered[n]),
        .bready_i(1'b1), .araddr_i(address), .arvalid_i(reads && mine), .arready_o(), .rdata_o(value[n*32+:32]),
        .rresp_o(read_response[n*2+:2]), .rvalid_o(given[n]), .rready_i(1'b1), .irq_o(irq[n]),
        .memory_araddr_o(araddr), .memory_arlen_o(arlen), .memory_arsize_o(arsize), .memory_arburst_o(arburst),
        .memory_arvalid_o(arvalid), .memory_arready_i(arready), .memory_rdata_i(rdata), .memory_rresp_i(rresp),
        .memory_rlast_i(rlast), .memory_rvalid_i(rvalid), .memory_rready_o(rready), .memory_awaddr_o(awaddr),
        .memory_awlen_o(awlen), .memory_awsize_o(awsize), .memory_awburst_o(awburst), .memory_awvalid_o(awvalid),
        .memory_awready_i(awready), .memory_wdata_o(wdata), .memory_wstrb_o(wstrb), .memory_wlast_o(wlast),
        .memory_wvalid_o(wvalid), .memory_wready_i(wready), .memory_bresp_i(bresp), .memory_bvalid_i(bvalid),
        .memory_bready_o(bready),
        .flit_valid_o(out_valid[n*LINKS+:LINKS]), .flit_vc_o(out_vc[n*LINKS*VC_W+:LINKS*VC_W]),
        .flit_head_o(out_head[n*LINKS+:LINKS]), .flit_tail_o(out_tail[n*LINKS+:LINKS]),
        .flit_o(out_flit[n*LINKS*FLIT_W+:LINKS*FLIT_W]), .credit_i(in_credit[n*LINKS*VCS+:LINKS*VCS]),
        .flit_valid_i(in_valid[n*LINKS+:LINKS]), .flit_vc_i(in_vc[n*LINKS*VC_W+:LINKS*VC_W]),
        .flit_head_i(in_head[n*LINKS+:LINKS]), .flit_tail_i(in_tail[n*LINKS+:LINKS]),
        .flit_i(in_flit[n*LINKS*FLIT_W+:LINKS*FLIT_W]),
        .parity_i(in_parity[n*LINKS+:LINKS]), .parity_o(out_parity[n*LINKS+:LINKS]), .credit_o(out_credit[n*LINKS*VCS+:LINKS*VCS]));

      if (TWINS != 0) begin : g_twin
        localparam OUT_W = 7 + 32 + 1 + BANKS * (2 * 44 + AXI_W + AXI_W / 8 + 6) + 2 * (8 + 3 + 2) + LINKS * (4 + VC_W + FLIT_W + VCS);
        wire [BANKS*44-1:0]      twin_araddr, twin_awaddr;
        wire [7:0]               twin_arlen, twin_awlen;
        wire [2:0]               twin_arsize, twin_awsize;
        wire [1:0]               twin_arburst, twin_awburst, twin_bresp, twin_rresp;
        wire [BANKS-1:0]         twin_arvalid, twin_rready, twin_awvalid, twin_wlast, twin_wvalid, twin_bready;
        wire [BANKS*AXI_W-1:0]   twin_wdata;
        wire [BANKS*AXI_W/8-1:0] twin_wstrb;
        wire                     twin_awready, twin_wready, twin_bvalid, twin_arready, twin_rvalid, twin_irq;
        wire [31:0]              twin_value;
        wire [LINKS-1:0]         twin_valid, twin_head, twin_tail, twin_parity;
        wire [LINKS*VC_W-1:0]    twin_vc;
        wire [LINKS*FLIT_W-1:0]  twin_flit;
        wire [LINKS*VCS-1:0]     twin_credit;
        axi_tile #(
          .LINKS(LINKS), .PORTS(PORTS), .FLIT_W(FLIT_W), .VCS(VCS), .DEPTH(DEPTH), .CREDITS(CREDITS), .ENTRIES(ENTRIES),
          .FLOWS(FLOWS), .BANKS(BANKS), .AXI_W(AXI_W), .BURST_WORDS(BURST_WORDS), .LINES(BANK_LINES), .SPILL(SPILL), .PARITY(PARITY),
          .COUNTERS(1), .ECC(FLIP_TABLES), .GATES(1)
        ) i_tile (
          .clk_i(clk), .rst_ni(rst_n), .awaddr_i(address), .awvalid_i(writes && mine), .awready_o(twin_awready), .wdata_i(data),
          .wstrb_i(4'hf), .wvalid_i(writes && mine), .wready_o(twin_wready), .bresp_o(twin_bresp), .bvalid_o(twin_bvalid),
          .bready_i(1'b1), .araddr_i(address), .arvalid_i(reads && mine), .arready_o(twin_arready), .rdata_o(twin_value),
          .rresp_o(twin_rresp), .rvalid_o(twin_rvalid), .rready_i(1'b1), .irq_o(twin_irq),
          .memory_araddr_o(twin_araddr), .memory_arlen_o(twin_arlen), .memory_arsize_o(twin_arsize),
          .memory_arburst_o(twin_arburst), .memory_arvalid_o(twin_arvalid), .memory_arready_i(arready), .memory_rdata_i(rdata),
          .memory_rresp_i(rresp), .memory_rlast_i(rlast), .memory_rvalid_i(rvalid), .memory_rready_o(twin_rready),
          .memory_awaddr_o(twin_awaddr), .memory_awlen_o(twin_awlen), .memory_awsize_o(twin_awsize),
          .memory_awburst_o(twin_awburst), .memory_awvalid_o(twin_awvalid), .memory_awready_i(awready),
          .memory_wdata_o(twin_wdata), .memory_wstrb_o(twin_wstrb), .memory_wlast_o(twin_wlast), .memory_wvalid_o(twin_wvalid),
          .memory_wready_i(wready), .memory_bresp_i(bresp), .memory_bvalid_i(bvalid), .memory_bready_o(twin_bready),
          .flit_valid_o(twin_valid), .flit_vc_o(twin_vc), .flit_head_o(twin_head), .flit_tail_o(twin_tail), .flit_o(twin_flit),
          .credit_i(in_credit[n*LINKS*VCS+:LINKS*VCS]), .flit_valid_i(in_valid[n*LINKS+:LINKS]),
          .flit_vc_i(in_vc[n*LINKS*VC_W+:LINKS*VC_W]), .flit_head_i(in_head[n*LINKS+:LINKS]),
          .flit_tail_i(in_tail[n*LINKS+:LINKS]), .flit_i(in_flit[n*LINKS*FLIT_W+:LINKS*FLIT_W]),
          .parity_i(in_parity[n*LINKS+:LINKS]), .parity_o(twin_parity), .credit_o(twin_credit));
        wire [OUT_W-1:0] leaves = {
          unused_taken[n], write_response[n*2+:2], answered[n], value[n*32+:32], read_response[n*2+:2], given[n], irq[n],
          araddr, arlen, arsize, arburst, arvalid, rready, awaddr, awlen, awsize, awburst, awvalid, wdata, wstrb, wlast, wvalid, bready,
          out_valid[n*LINKS+:LINKS], out_vc[n*LINKS*VC_W+:LINKS*VC_W], out_head[n*LINKS+:LINKS], out_tail[n*LINKS+:LINKS],
          out_flit[n*LINKS*FLIT_W+:LINKS*FLIT_W], out_parity[n*LINKS+:LINKS], out_credit[n*LINKS*VCS+:LINKS*VCS]};
        wire [OUT_W-1:0] twin_leaves = {
          twin_awready, twin_bresp, twin_bvalid, twin_value, twin_rresp, twin_rvalid, twin_irq,
          twin_araddr, twin_arlen, twin_arsize, twin_arburst, twin_arvalid, twin_rready, twin_awaddr, twin_awlen, twin_awsize,
          twin_awburst, twin_awvalid, twin_wdata, twin_wstrb, twin_wlast, twin_wvalid, twin_bready,
          twin_valid, twin_vc, twin_head, twin_tail, twin_flit, twin_parity, twin_credit};
        // Compares at the end of every cycle, except in the first cycles of the reset.
        always @(negedge clk) begin
          if (rst_n) twin_cycles[n] = twin_cycles[n] + 1;
          if (rst_n && leaves !== twin_leaves) begin
            if (twin_failures[n] == 0) $display("tile %0d and its twin differ at %0t: %h", n, $time, leaves ^ twin_leaves);
            twin_failures[n] = twin_failures[n] + 1;
          end
        end
      end
      initial {twin_cycles[n], twin_failures[n]} = 64'd0;

      // Each tile's words begin at a page boundary.
      for (b = 0; b < BANKS; b = b + 1) begin : g_bank
        axi_memory #(
          .AXI_W(AXI_W), .BEATS(BURST_WORDS * 32 / AXI_W), .LEAST(MEMORY_LATENCY), .SLOW(MEMORY_SLOW), .SEED(n * BANKS + b + 1),
          .FIRST(n * WORDS), .WORDS(WORDS), .BASE((n + 1) * PAGES * 4096)
        ) i_memory (
          .clk_i(clk), .rst_ni(rst_n), .araddr_i(araddr[b*44+:44]), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst),
          .arvalid_i(arvalid[b]), .arready_o(arready[b]), .rdata_o(rdata[b*AXI_W+:AXI_W]), .rresp_o(rresp[b*2+:2]),
          .rlast_o(rlast[b]), .rvalid_o(rvalid[b]), .rready_i(rready[b]), .awaddr_i(awaddr[b*44+:44]), .awlen_i(awlen),
          .awsize_i(awsize), .awburst_i(awburst), .awvalid_i(awvalid[b]), .awready_o(awready[b]),
          .wdata_i(wdata[b*AXI_W+:AXI_W]), .wstrb_i(wstrb[b*AXI_W/8+:AXI_W/8]), .wlast_i(wlast[b]), .wvalid_i(wvalid[b]),
          .wready_o(wready[b]), .bresp_o(bresp[b*2+:2]), .bvalid_o(bvalid[b]), .bready_i(bready[b]));
        assign memory_failures[n*BANKS+b] = i_memory.failures != 0;
        always @* begin
          bursts_read[n*BANKS+b] = i_memory.bursts_read;
          bursts_written[n*BANKS+b] = i_memory.bursts_written;
        end
      end
      // In each part of each line, flips one random bit, which may be a data or a check bit. The first line's
      // part that is read ahead has a copy, which is used instead and is flipped as well.
      if (FLIP_TABLES != 0) begin : g_flip
        for (p = 0; p < PORTS; p = p + 1) begin : g_table
          integer row;
          always @(flip_tables) begin
            for (row = 0; row < sizes[n][p*16+:16]; row = row + 1) begin
              `TABLE.ahead_lines_q[row] = `TABLE.ahead_lines_q[row] ^ one_of(`TABLE.AHEAD_CODE_W);
              `TABLE.rest_lines_q[row] = `TABLE.rest_lines_q[row] ^ one_of(`TABLE.REST_CODE_W);
              if (row == 0) `TABLE.first_q = `TABLE.first_q ^ one_of(`TABLE.AHEAD_CODE_W);
            end
          end
        end
      end
      assign strides[n] = i_tile.i_lite.i_tile.flow_stride_i === FLOW_STRIDE && i_tile.i_lite.i_tile.address_stride_i === ADDRESS_STRIDE &&
                          i_tile.i_lite.i_tile.step_stride_i === STEP_STRIDE;
      // A message that adds counts three cycles later than one that stores.
      assign counts[n*PORTS+:PORTS] = i_tile.i_lite.i_tile.i_ni.added3_q | i_tile.i_lite.i_tile.i_ni.arrived_store;
    end
  endgenerate

  reg     told;
  integer at, run, wrong, cycle, last, flits, flits_before, sent, i, failures, bursts_in, bursts_out, corrections;
  // Writes to the target or to all tiles. A tile must accept the write immediately and respond OKAY in the
  // next cycle, or two cycles later if the channels have registers at their ends.
  task write(input [7:0] to, input [31:0] what);
    begin
      address = to;
      data = what;
      writes = 1'b1;
      @(negedge clk);
      writes = 1'b0;
      repeat (2 * SPILL) @(negedge clk);
      if (!answered[target] || write_response[target*2+:2] != 2'd0) begin
        $display("FAILED: tile %0d does not accept a write to %h", target, to);
        failures = failures + 1;
      end
    end
  endtask
  reg [31:0] now = 32'd0;  // the same as the tiles' cycle counters
  always @(posedge clk) now <= rst_n ? now + 32'd1 : 32'd0;
  // Reads a register of the target into value[target], which keeps the value until the next read.
  task read(input [7:0] from);
    begin
      address = from;
      reads = 1'b1;
      @(negedge clk);
      reads = 1'b0;
      repeat (2 * SPILL) @(negedge clk);
      if (!given[target] || read_response[target*2+:2] != 2'd0) begin
        $display("FAILED: tile %0d does not return register %h", target, from);
        failures = failures + 1;
      end
    end
  endtask
  task must_read(input [7:0] from, input [31:0] what);
    begin
      read(from);
      if (value[target*32+:32] !== what) begin
        $display("FAILED: tile %0d register %h holds %h, should be %h", target, from, value[target*32+:32], what);
        failures = failures + 1;
      end
    end
  endtask

  initial begin
    failures = 0;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    everyone = 1'b1;
    write(`COPPICE_TILE_CONFIG, {29'd0, LOCKSTEP[0], TYPE[1:0]});
    write(`COPPICE_TILE_ABSORBS, ABSORBS);
    write(`COPPICE_TILE_DMA_LATENCY, DMA_LATENCY);
    write(`COPPICE_TILE_PAYLOAD, PAYLOAD_WORDS);
    write(`COPPICE_TILE_FLOW_STRIDE, FLOW_STRIDE);
    write(`COPPICE_TILE_ADDRESS_STRIDE, ADDRESS_STRIDE);
    write(`COPPICE_TILE_STEP_STRIDE, STEP_STRIDE);
    write(`COPPICE_TILE_INTERRUPT_ENABLE, FLIP < 0 ? 32'd3 : 32'd1);
    everyone = 1'b0;
    for (target = 0; target < NODES; target = target + 1) begin
      must_read(`COPPICE_TILE_ID, 32'h434f5054);
      must_read(`COPPICE_TILE_NOW, now + SPILL);
      write(`COPPICE_TILE_MEMORY_BASE, (target + 1) * PAGES);
      write(`COPPICE_TILE_SOURCE, target * 4);
      write(`COPPICE_TILE_ARRIVALS, {16'd0, sizes[target][PORTS*32+:16]});
      must_read(`COPPICE_TILE_ARRIVALS, {16'd0, sizes[target][PORTS*32+:16]});
      for (i = 0; i < PORTS; i = i + 1) begin
        write(`COPPICE_TILE_LINES + 4 * i, {16'd0, sizes[target][i*16+:16]});
        write(`COPPICE_TILE_COUNT + 4 * i, {16'd0, sizes[target][PORTS*16+i*16+:16]});
      end
    end
    for (at = 0; at < LOADS; at = at + 1) begin
      target = tables[at][LINE_W+32+:16];
      for (i = 0; i < (LINE_W + 31) / 32; i = i + 1) write(`COPPICE_TILE_LINE + 4 * i, tables[at] >> (32 * i));
      write(`COPPICE_TILE_TABLE, {8'd0, tables[at][LINE_W+16+:8], tables[at][LINE_W+:16]});
    end
    repeat (2) @(negedge clk);  // by then, the last line has been stored
    if (strides !== {NODES{1'b1}}) begin
      $display("FAILED: strides have not reached the tiles: %b", strides);
      failures = failures + 1;
    end
    -> flip_tables;
    target = 0;
    flits = 0;
    for (run = 0; run < RUNS; run = run + 1) begin
      everyone = 1'b1;
      write(`COPPICE_TILE_CONTROL, 32'd1);
      everyone = 1'b0;
      @(negedge clk);
      last = 0;
      cycle = 0;
      flits_before = flits;
      sent = 0;
      while (cycle < MOST_CYCLES && irq != {NODES{1'b1}}) begin
        if (|counts) last = cycle + 1;
        for (i = 0; i < NODES * LINKS; i = i + 1) flits = flits + {31'd0, out_valid[i]};
        @(negedge clk);
        cycle = cycle + 1;
      end
      if (irq != {NODES{1'b1}}) begin
        $display("FAILED: run %0d: not done after %0d cycles: %b", run, cycle, irq);
        failures = failures + 1;
      end
      for (target = 0; target < NODES; target = target + 1) begin
        must_read(`COPPICE_TILE_STATUS, 32'd2);
        told = FLIP >= 0 && target == 0;
        must_read(`COPPICE_TILE_ERROR, told ? 32'd8 : 32'd0);
        must_read(`COPPICE_TILE_INTERRUPT, told ? 32'd3 : 32'd1);
        must_read(`COPPICE_TILE_ARRIVED, {16'd0, sizes[target][PORTS*32+:16]});
        corrections = 0;
        for (i = 0; i < PORTS; i = i + 1) corrections = corrections + 2 * (run + 1) * sizes[target][i*16+:16];
        must_read(`COPPICE_TILE_CORRECTED, FLIP_TABLES != 0 ? corrections : 32'd0);
        read(`COPPICE_TILE_SENT_FLITS);
        sent = sent + value[target*32+:32];
        read(`COPPICE_TILE_CYCLES);
        if (value[target*32+:32] == 32'd0 || value[target*32+:32] > cycle) begin
          $display("FAILED: tile %0d reports that it was busy for %0d of %0d cycles", target, value[target*32+:32], cycle);
          failures = failures + 1;
        end
        write(`COPPICE_TILE_INTERRUPT, 32'd3);
        @(negedge clk);
        if (irq[target]) begin
          $display("FAILED: run %0d: the interrupt of tile %0d stays set", run, target);
          failures = failures + 1;
        end
      end
      target = 0;
      if (sent != flits - flits_before) begin
        $display("FAILED: run %0d: tiles have counted %0d flits on links instead of %0d", run, sent, flits - flits_before);
        failures = failures + 1;
      end
      wrong = 0;
      for (at = 0; at < NODES * WORDS; at = at + 1) begin
        if (FLIP < 0 && memory[at] !== sums[run*NODES*WORDS+at]) begin
          if (wrong < 5)
            $display("tile %0d word %0d: %h, should be %h", at / WORDS, at % WORDS, memory[at], sums[run*NODES*WORDS+at]);
          wrong = wrong + 1;
        end
      end
      bursts_in = 0;
      bursts_out = 0;
      for (i = 0; i < NODES * BANKS; i = i + 1) begin
        bursts_in = bursts_in + bursts_read[i];
        bursts_out = bursts_out + bursts_written[i];
      end
      if (memory_failures != {(NODES * BANKS){1'b0}}) failures = failures + 1;
      for (i = 0; i < NODES && TWINS != 0; i = i + 1) if (twin_failures[i] != 0 || twin_cycles[i] < cycle) failures = failures + 1;
      if (wrong != 0) $display("FAILED: run %0d: %0d words are wrong", run, wrong);
      else if (failures == 0)
        $display("verified: run %0d: %0d cycles, %0d words, %0d flits on links, %0d bursts read and %0d written", run, last,
                 NODES * WORDS, flits, bursts_in, bursts_out);
    end
    $finish;
  end
endmodule
`default_nettype wire

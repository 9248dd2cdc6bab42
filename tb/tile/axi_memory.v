// A memory behind an AXI4 port that uses all freedom that the protocol allows: a random latency of at least
// LEAST cycles, random stalls of requests, data and responses, and writes that take effect only with their
// response. It checks that its master keeps offers stable until they are accepted, that bursts are of type
// INCR, have BEATS words, stay within 4 KiB and mark their last word, and that no word is written without
// strobes or read while it is being written. Words are stored in the array `MEMORY, in which word FIRST is at
// address BASE.
`default_nettype none
module axi_memory #(
  parameter ADDRESS_W = 44,
  parameter AXI_W = 128,
  parameter BEATS = 4,
  parameter LEAST = 10,   // minimum number of cycles from a request to its first word
  parameter SLOW = 1,     // with 0, the latency is LEAST and the memory is always ready
  parameter SEED = 1,
  parameter FIRST = 0,
  parameter WORDS = 16,
  parameter [63:0] BASE = 0
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire [ADDRESS_W-1:0] araddr_i,
  input  wire [7:0]           arlen_i,
  input  wire [2:0]           arsize_i,
  input  wire [1:0]           arburst_i,
  input  wire                 arvalid_i,
  output reg                  arready_o,
  output reg  [AXI_W-1:0]     rdata_o,
  output wire [1:0]           rresp_o,
  output reg                  rlast_o,
  output reg                  rvalid_o,
  input  wire                 rready_i,
  input  wire [ADDRESS_W-1:0] awaddr_i,
  input  wire [7:0]           awlen_i,
  input  wire [2:0]           awsize_i,
  input  wire [1:0]           awburst_i,
  input  wire                 awvalid_i,
  output reg                  awready_o,
  input  wire [AXI_W-1:0]     wdata_i,
  input  wire [AXI_W/8-1:0]   wstrb_i,
  input  wire                 wlast_i,
  input  wire                 wvalid_i,
  output reg                  wready_o,
  output wire [1:0]           bresp_o,
  output reg                  bvalid_o,
  input  wire                 bready_i
);
  localparam DEPTH = 64;  // maximum number of requests in flight
  localparam LANES = AXI_W / 32;

  reg [ADDRESS_W-1:0] reads [0:DEPTH-1];
  integer             read_due [0:DEPTH-1];
  reg [ADDRESS_W-1:0] writes [0:DEPTH-1];
  reg [AXI_W-1:0]     data [0:DEPTH*BEATS-1];
  reg [AXI_W/8-1:0]   strobes [0:DEPTH*BEATS-1];
  integer             write_due [0:DEPTH-1];
  integer first_read = 0, next_read = 0, beat = 0;           // completed and accepted requests; sent words
  integer first_write = 0, next_write = 0, words = 0;        // sent responses, accepted requests; arrived words
  integer cycle = 0, seed = SEED, failures = 0, bursts_read = 0, bursts_written = 0, i, l;
  reg     ar_held = 1'b0, aw_held = 1'b0, w_held = 1'b0;
  reg [ADDRESS_W-1:0] araddr, awaddr;
  reg [AXI_W-1:0]     wdata;
  reg [AXI_W/8-1:0]   wstrb;
  reg     read_fails = 1'b0, write_fails = 1'b0;  // set by a testbench to make responses errors
  assign rresp_o = {read_fails, 1'b0};
  assign bresp_o = {write_fails, 1'b0};

  task must(input ok, input [8*60-1:0] what);
    if (ok !== 1'b1) begin
      if (failures < 5) $display("FAILED: %m cycle %0d: %0s", cycle, what);
      failures = failures + 1;
    end
  endtask
  // A random number below `most`; 0 without SLOW.
  function integer some(input integer most);
    some = SLOW != 0 ? $unsigned($random(seed)) % most : 0;
  endfunction
  function integer word_of(input [ADDRESS_W-1:0] address, input integer at);
    word_of = (address - BASE) / 4 + at;
  endfunction

  initial begin
    arready_o = 1'b0;
    awready_o = 1'b0;
    wready_o = 1'b0;
    rvalid_o = 1'b0;
    bvalid_o = 1'b0;
    rlast_o = 1'b0;
  end

  // Processes the events at the clock edge first, and then sets the outputs for the next cycle.
  always @(posedge clk_i) if (rst_ni) begin
    cycle = cycle + 1;
    if (ar_held) must(arvalid_i && araddr_i === araddr, "a read's address changes before it is accepted");
    if (aw_held) must(awvalid_i && awaddr_i === awaddr, "a write's address changes before it is accepted");
    if (w_held) must(wvalid_i && wdata_i === wdata && wstrb_i === wstrb, "a word changes before it is accepted");
    ar_held = arvalid_i && !arready_o;
    aw_held = awvalid_i && !awready_o;
    w_held = wvalid_i && !wready_o;
    araddr = araddr_i;
    awaddr = awaddr_i;
    wdata = wdata_i;
    wstrb = wstrb_i;

    if (bvalid_o && bready_i) begin
      for (i = 0; i < BEATS * LANES; i = i + 1)
        for (l = 0; l < 4; l = l + 1)
          if (strobes[first_write%DEPTH*BEATS+i/LANES][i%LANES*4+l]) begin
            must(word_of(writes[first_write%DEPTH], i) < WORDS, "a word beyond the data is written");
            `MEMORY[FIRST+word_of(writes[first_write%DEPTH], i)][l*8+:8] =
              data[first_write%DEPTH*BEATS+i/LANES][i%LANES*32+l*8+:8];
          end
      first_write = first_write + 1;
      bvalid_o = 1'b0;
    end
    if (rvalid_o && rready_i) begin
      beat = rlast_o ? 0 : beat + 1;
      if (rlast_o) first_read = first_read + 1;
      rvalid_o = 1'b0;
    end
    if (arvalid_i && arready_o) begin
      must(arlen_i == BEATS - 1 && arsize_i == $clog2(AXI_W / 8) && arburst_i == 2'd1, "a read is not an aligned burst of BEATS words");
      must(araddr_i % (BEATS * AXI_W / 8) == 0, "a read does not begin at a line boundary");
      must(araddr_i >= BASE && word_of(araddr_i, 0) < WORDS, "a read is outside the data");
      for (i = first_write; i < next_write; i = i + 1)
        must(writes[i%DEPTH] != araddr_i, "a line is read while it is written");
      must(!(awvalid_i && awaddr_i == araddr_i), "a line is read and written");
      reads[next_read%DEPTH] = araddr_i;
      read_due[next_read%DEPTH] = cycle + LEAST - 1 + some(20);
      next_read = next_read + 1;
      bursts_read = bursts_read + 1;
      must(next_read - first_read < DEPTH, "too many reads");
    end
    if (awvalid_i && awready_o) begin
      must(awlen_i == BEATS - 1 && awsize_i == $clog2(AXI_W / 8) && awburst_i == 2'd1, "a write is not an aligned burst of BEATS words");
      must(awaddr_i % (BEATS * AXI_W / 8) == 0, "a write does not begin at a line boundary");
      must(awaddr_i >= BASE && word_of(awaddr_i, 0) < WORDS, "a write is outside the data");
      for (i = first_read; i < next_read; i = i + 1)
        must(reads[i%DEPTH] != awaddr_i, "a line is written while it is read");
      writes[next_write%DEPTH] = awaddr_i;
      next_write = next_write + 1;
      bursts_written = bursts_written + 1;
      must(next_write - first_write < DEPTH, "too many writes");
    end
    if (wvalid_i && wready_o) begin
      data[words%(DEPTH*BEATS)] = wdata_i;
      strobes[words%(DEPTH*BEATS)] = wstrb_i;
      words = words + 1;
      must(wlast_i == (words % BEATS == 0), "a word other than the last is marked, or the last is not");
      write_due[((words-1)/BEATS)%DEPTH] = cycle + LEAST + some(20);
    end

    arready_o = some(3) == 0;
    awready_o = some(3) == 0;
    wready_o = some(3) == 0;
    if (!rvalid_o && first_read < next_read && read_due[first_read%DEPTH] <= cycle && some(4) == 0) begin
      rvalid_o = 1'b1;
      rlast_o = beat == BEATS - 1;
      for (i = 0; i < LANES; i = i + 1)
        rdata_o[i*32+:32] = word_of(reads[first_read%DEPTH], beat * LANES + i) < WORDS ?
                            `MEMORY[FIRST+word_of(reads[first_read%DEPTH], beat*LANES+i)] : {32{1'bx}};
    end
    if (!bvalid_o && first_write < next_write && words >= (first_write + 1) * BEATS &&
        write_due[first_write%DEPTH] <= cycle) bvalid_o = 1'b1;
  end
endmodule
`default_nettype wire

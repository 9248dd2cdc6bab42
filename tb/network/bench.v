// Loads the network's tables from a memory image, starts the network and waits for every tile's interrupt.
// Then compares the memories and the number of cycles with those of the SystemC model, which were recorded
// when this folder was written. The last line of output is "verified" or the error.
`default_nettype none
module bench;
  `include "network_parameters.vh"
  localparam MOST_CYCLES = 20 * MODEL_CYCLES + 10000;
  reg clk = 1'b0, rst_n = 1'b0, start = 1'b0;
  always #1 clk = !clk;

  wire [23:0] awaddr;
  wire [31:0] wdata;
  wire [3:0]  wstrb;
  wire [1:0]  bresp;
  wire        awvalid, awready, wvalid, wready, bvalid, bready, loaded, refused;
  boot #(.WRITES(BOOT_WRITES), .IMAGE("images/boot.hex")) i_boot (
    .clk_i(clk), .rst_ni(rst_n), .start_i(start), .loaded_o(loaded), .error_o(refused), .awaddr_o(awaddr), .awvalid_o(awvalid),
    .awready_i(awready), .wdata_o(wdata), .wstrb_o(wstrb), .wvalid_o(wvalid), .wready_i(wready), .bresp_i(bresp),
    .bvalid_i(bvalid), .bready_o(bready));

  wire [TILES-1:0]    irq;
  wire                starts;   // set in the cycle in which the collective starts
  wire [TILES-1:0]    counts;   // set in the cycle in which a message is stored or its last sum is complete
  wire [TILES*5-1:0]  error;
  wire [TILES-1:0]    held;     // a memory read waits for pending sums, which does not happen in the model
  // The included file contains the network, its memories, the signals above and the task check_memories,
  // which counts errors in `wrong`.
  integer wrong;
  `include "bench_connections.vh"

  // Cycle 0 is the cycle after the start. A message counts as arrived from the cycle after `counts` on.
  integer cycle, last, cycles_held;
  always @(posedge clk) begin
    if (starts) begin
      cycle <= 0;
      last <= 0;
      cycles_held <= 0;
    end else begin
      cycle <= cycle + 1;
      if (|counts) last <= cycle + 1;
      if (|held) cycles_held <= cycles_held + 1;
    end
  end

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    while (!loaded) @(negedge clk);
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    while (!starts) @(negedge clk);
    @(negedge clk);
    while (irq != {TILES{1'b1}} && error == {TILES*5{1'b0}} && cycle < MOST_CYCLES) @(negedge clk);
    repeat (2) @(negedge clk);
    wrong = 0;
    check_memories;
    if (refused) $display("FAILED: a register refused a write");
    else if (error != {TILES*5{1'b0}}) $display("FAILED: tiles report errors: %b", error);
    else if (irq != {TILES{1'b1}}) $display("FAILED: not done after %0d cycles: %b", cycle, irq);
    else if (wrong != 0) $display("FAILED: %0d words are wrong", wrong);
    else if (last != MODEL_CYCLES && cycles_held != 0)
      $display("FAILED: %0d cycles, but %0d in the model, in which reads do not wait for sums as they did here for %0d cycles: write the folder again with system.ni.impl: rtl",
               last, MODEL_CYCLES, cycles_held);
    else if (last != MODEL_CYCLES) $display("FAILED: %0d cycles, but %0d in the model", last, MODEL_CYCLES);
    else $display("verified: %0d cycles, as in the model, and %0d words", last, TILES * WORDS);
    $finish;
  end
endmodule
`default_nettype wire

// Compares a tile's registers with their description in registers_map.vh and map.hex, which tb/tile/registers
// generates. The random traffic on both channels of AXI4-Lite includes stalled responses, byte strobes,
// resets and unknown values. The last line of output is "verified" or the error.
`default_nettype none
module registers_tb;
  localparam CYCLES = 3000;
  localparam [2:0] NONE = 3'd0, KEPT = 3'd1, READ_ONLY = 3'd2, CLEARED = 3'd3, PULSE = 3'd4;

  reg clk = 1'b0, rst_n = 1'b0;
  reg [7:0]  awaddr = 8'd0, araddr = 8'd0;
  reg        awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
  reg [31:0] wdata = 32'd0;
  reg [3:0]  wstrb = 4'd0;
  wire       awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  // For each word address: the values that the hardware drives, the bits that it sets, and the values that it
  // sees.
  reg  [64*32-1:0] given = {64{32'd0}};
  reg  [64*32-1:0] sets = {64{32'd0}};
  wire [64*32-1:0] seen;
  wire [63:0]      pulses;
  `include "registers_map.vh"

  // For each word address: the kind, the mask of the used bits and the reset value.
  reg [66:0] map [0:63];
  wire [2:0]  kind_to = map[awaddr[7:2]][66:64];
  wire [2:0]  kind_from = map[araddr[7:2]][66:64];
  reg [31:0] kept [0:63];
  reg        b_waits, r_waits, b_bad, r_bad, known;
  reg [31:0] r_value, strobes;
  reg [63:0] pulsed;
  reg [31:0] pulse_value;
  integer    seed = 1, cycle, i, failures = 0;

  wire takes_write = awvalid && wvalid && (!b_waits || bready);
  wire takes_read = arvalid && (!r_waits || rready);

  task must(input ok, input [8*24-1:0] what);
    if (ok !== 1'b1) begin
      if (failures < 5) $display("cycle %0d: %0s is wrong", cycle, what);
      failures = failures + 1;
    end
  endtask

  // Compares the outputs of this cycle with those that follow from the previous cycles.
  task check;
    begin
      must(awready === takes_write && wready === takes_write, "awready or wready");
      must(arready === takes_read, "arready");
      must(bvalid === b_waits, "bvalid");
      must(rvalid === r_waits, "rvalid");
      if (b_waits) must(bresp === {b_bad, 1'b0}, "bresp");
      if (r_waits) must(rresp === {r_bad, 1'b0} && rdata === r_value, "rresp or rdata");
      for (i = 0; i < 64; i = i + 1) begin
        if (map[i][66:64] == KEPT || map[i][66:64] == CLEARED) must(seen[i*32+:32] === kept[i], "a register");
        if (map[i][66:64] == PULSE) begin
          must(pulses[i] === pulsed[i], "a pulse");
          if (pulsed[i]) must(seen[i*32+:32] === (pulse_value & map[i][63:32]), "the value of a pulse");
        end
      end
    end
  endtask

  // Updates the model at the clock edge.
  task step;
    begin
      pulsed = 64'd0;
      strobes = {{8{wstrb[3]}}, {8{wstrb[2]}}, {8{wstrb[1]}}, {8{wstrb[0]}}};
      if (takes_read) begin
        r_bad = kind_from == NONE;
        r_value = kind_from == READ_ONLY ? given[araddr[7:2]*32+:32] & map[araddr[7:2]][63:32] :
                  kind_from == KEPT || kind_from == CLEARED ? kept[araddr[7:2]] : 32'd0;
      end
      r_waits = takes_read || (r_waits && !rready);
      known = takes_write && kind_to != NONE && kind_to != READ_ONLY;
      if (takes_write) b_bad = !known;
      b_waits = takes_write || (b_waits && !bready);
      if (known && kind_to == KEPT)
        kept[awaddr[7:2]] = ((kept[awaddr[7:2]] & ~strobes) | (wdata & strobes)) & map[awaddr[7:2]][63:32];
      if (known && kind_to == CLEARED) kept[awaddr[7:2]] = kept[awaddr[7:2]] & ~(wdata & strobes);
      if (known && kind_to == PULSE) begin
        pulsed[awaddr[7:2]] = 1'b1;
        pulse_value = wdata;
      end
      for (i = 0; i < 64; i = i + 1)
        if (map[i][66:64] == CLEARED) kept[i] = kept[i] | (sets[i*32+:32] & map[i][63:32]);
      if (!rst_n) begin
        b_waits = 1'b0;
        r_waits = 1'b0;
        pulsed = 64'd0;
        for (i = 0; i < 64; i = i + 1) kept[i] = map[i][31:0];
      end
    end
  endtask

  initial begin
    $readmemh("map.hex", map);
    #1 clk = 1'b1;
    b_waits = 1'b0;
    r_waits = 1'b0;
    #1 step;
    clk = 1'b0;
    for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
      rst_n = $unsigned($random(seed)) % 200 != 0;
      awaddr = $random(seed);
      // In half of the cases, a read uses the address of the preceding write.
      araddr = $random(seed);
      if ($random(seed) & 1) araddr = awaddr;
      wdata = $random(seed);
      wstrb = $random(seed) | ($random(seed) & 1 ? 4'hf : 4'h0);
      awvalid = $unsigned($random(seed)) % 4 != 0;
      wvalid = $unsigned($random(seed)) % 4 != 0;
      arvalid = $unsigned($random(seed)) % 4 != 0;
      bready = $unsigned($random(seed)) % 3 != 0;
      rready = $unsigned($random(seed)) % 3 != 0;
      for (i = 0; i < 64; i = i + 1) begin
        if (map[i][66:64] == READ_ONLY) given[i*32+:32] = $random(seed);
        if (map[i][66:64] == CLEARED) sets[i*32+:32] = $random(seed) & $random(seed) & $random(seed) & $random(seed);
      end
      #1 check;
      if (failures != 0) begin
        $display("FAILED: %0d checks", failures);
        $finish;
      end
      clk = 1'b1;
      #0 step;
      #1 clk = 1'b0;
    end
    $display("verified: registers in %0d cycles", CYCLES);
    $finish;
  end
endmodule
`default_nettype wire

// Measures a schedule table with lines like those of MultiTree. The entry at the head leaves in LOAD percent
// of the cycles, and the table starts again after its last entry.
`timescale 1ps/1ps
`default_nettype none
module tb;
  parameter TYPE = 0, ENTRIES = 16, INDEX_W = 4, LINE_W = 212;
  parameter LOAD = 35, WARM = 100, CYCLES = 400, PERIOD = 10000, SEED = 1;
  `include "clock.vh"
  reg                loads = 1'b0, start = 1'b0, pop = 1'b0;
  reg  [INDEX_W-1:0] index = 0;
  reg  [LINE_W-1:0]  line = 0;
  wire               valid, pass, above;
  wire [191:0]       entry;
  wire [15:0]        issued;
  reg  [31:0]        random;
  integer            loaded = 0, left = 0;  // lines loaded so far; entries until the next start
  dut i_dut (.clk_i(clk), .rst_ni(rst_n), .load_valid_i(loads), .load_index_i(index), .load_line_i(line), .start_i(start),
             .first_i(start), .lines_i(ENTRIES[INDEX_W:0]), .count_i(ENTRIES[15:0]), .flow_stride_i(10'd0),
             .address_stride_i(24'd0), .step_stride_i(16'd0), .absorbs_i(24'd256), .hold_i(1'b0), .pop_i(pop), .valid_o(valid),
             .pass_o(pass), .entry_o(entry), .above_o(above), .issued_o(issued));

  always @(posedge clk) if (rst_n) begin
    if (pop) begin
      if (counts) events = events + 1;
      note({64'd0, entry});
      left = left - 1;
    end
    if (start) left = ENTRIES;
    #200;
    loads = loaded < ENTRIES;
    index = loaded;
    random = $random(seed);
    // From the highest bit, a line contains: end 1, first 0, zeros, a route of up to six hops, packets,
    // flits, total, words, address, step, dependencies, flow, op.
    if (loads)
      line = {10'd1, 20'd0, {14'd0, random[27:0]} & 42'h3FFF, 14'd16, 24'd272, 20'd1024, 20'd1024, {10'd0, random[31:28], 10'd0},
              {12'd0, random[3:0]}, 10'd1 << random[5:4], {6'd0, random[9:6]}, random[11:10] % 2'd2};
    loaded = loaded + (loads ? 1 : 0);
    start = !loads && !start && left == 0;
    pop = !start && left > 0 && chance(load);
  end
endmodule
`default_nettype wire

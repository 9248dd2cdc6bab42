// Measures the buffer of a virtual channel. A random flit arrives in LOAD percent of the cycles, and flits
// leave equally often.
`timescale 1ps/1ps
`default_nettype none
module tb;
  parameter TYPE = 0, WIDTH = 130, DEPTH = 64;
  parameter LOAD = 35, WARM = 100, CYCLES = 400, PERIOD = 10000, SEED = 1;
  `include "clock.vh"
  reg                push = 1'b0, pop = 1'b0;
  reg  [WIDTH-1:0]   data = 0;
  wire [WIDTH-1:0]   front;
  wire               valid, more;
  integer            held = 0;
  dut i_dut (.clk_i(clk), .rst_ni(rst_n), .push_i(push), .data_i(data), .pop_i(pop), .data_o(front), .valid_o(valid),
             .more_o(more));

  always @(posedge clk) if (rst_n) begin
    if (pop) begin
      if (counts) events = events + 1;
      note({126'd0, front});
    end
    held = held + push - pop;
    #200;
    push = chance(load) && held < DEPTH;
    if (push) data = {$random(seed), $random(seed), $random(seed), $random(seed), $random(seed)};
    pop = chance(load) && held > 0;
  end
endmodule
`default_nettype wire

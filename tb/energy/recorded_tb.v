// Drives a block's gates with the inputs of a recorded run, cycle by cycle. All outputs that were known in
// the recorded run must have the same values. recorded.vh contains the widths, the number of rows, and the
// gates between `in` and `out`. stimulus.hex, wanted.hex and known.hex contain one row per cycle.
`timescale 1ps/1ps
`default_nettype none
module tb;
  parameter WARM = 0, CYCLES = 1, PERIOD = 10000;  // net values are written for CYCLES rows, beginning with row WARM
  `include "recorded.vh"
  reg               clk = 1'b0;
  reg [INPUTS-1:0]  stimulus [0:ROWS-1];
  reg [OUTPUTS-1:0] wanted [0:ROWS-1];
  reg [OUTPUTS-1:0] known [0:ROWS-1];
  integer           row = 0, wrong = 0;
  always #(PERIOD / 2) clk = !clk;
  always @(posedge clk) begin
    if (((out ^ wanted[row]) & known[row]) !== {OUTPUTS{1'b0}}) wrong = wrong + 1;
    row = row + 1;
    if (row == ROWS) begin
      $display("rows %0d wrong %0d", row, wrong);
      $finish;
    end
    #200 in = stimulus[row];
  end
  initial begin
    $readmemh("stimulus.hex", stimulus);
    $readmemh("wanted.hex", wanted);
    $readmemh("known.hex", known);
    in = stimulus[0];
    repeat (WARM) @(posedge clk);
    #100 $dumpvars(1, tb.i_dut.i_gates);
    repeat (CYCLES) @(posedge clk);
    #100 $dumpoff;
  end
endmodule
`default_nettype wire

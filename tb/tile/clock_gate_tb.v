// Tests clock_gate. Registers behind one gate, or behind two nested gates, must capture data only while the
// gates are open, like registers with enables, even if enables change in both halves of the clock. Data must
// cross between ungated and gated registers at the same edge without a race. The last line of output is
// "verified" or the error.
`timescale 1ps/1ps
`default_nettype none
module clock_gate_tb;
  parameter CYCLES = 2000, GATES = 1;
  reg clk = 1'b0, outer = 1'b0, inner = 1'b0;
  wire outer_clk, inner_clk;
  clock_gate #(.GATES(GATES)) i_outer (.clk_i(clk), .enable_i(outer), .clk_o(outer_clk));
  clock_gate #(.GATES(GATES)) i_inner (.clk_i(outer_clk), .enable_i(inner), .clk_o(inner_clk));

  reg [15:0] count_q = 16'd0, outer_q = 16'd0, inner_q = 16'd0, back_q = 16'd0;      // registers behind gates
  reg [15:0] outer_is = 16'd0, inner_is = 16'd0, back_is = 16'd0;                     // their expected values
  always @(posedge clk) count_q <= count_q + 16'd1;
  always @(posedge outer_clk) outer_q <= count_q;
  always @(posedge inner_clk) inner_q <= outer_q ^ count_q;
  always @(posedge clk) back_q <= inner_q;
  always @(posedge clk) begin
    if (outer) outer_is <= count_q;
    if (outer && inner) inner_is <= outer_is ^ count_q;
    back_is <= inner_is;
  end

  // Checks that no pulse is shorter than the clock's.
  integer  wrong = 0, edges = 0, expected = 0, cycle;
  realtime rise_outer = 0, rise_inner = 0;
  always @(outer_clk) if (outer_clk) rise_outer = $realtime; else if ($realtime > 0 && $realtime - rise_outer != 50) wrong = wrong + 1;
  always @(inner_clk) if (inner_clk) rise_inner = $realtime; else if ($realtime > 0 && $realtime - rise_inner != 50) wrong = wrong + 1;
  always @(posedge inner_clk) edges = edges + 1;
  integer seed = 1;
  initial begin
    for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
      // Enables change late in the low half of the clock. Changes in the high half must have no effect.
      #45 {outer, inner} = $random(seed);
      #5 if (outer && inner) expected = expected + 1;
      clk = 1'b1;
      #10 {outer, inner} = $random(seed);
      #20 {outer, inner} = $random(seed);
      #20 clk = 1'b0;
      if ({outer_q, inner_q, back_q} !== {outer_is, inner_is, back_is}) wrong = wrong + 1;
      #0 {outer, inner} = $random(seed);
    end
    if (edges != expected) wrong = wrong + 1;
    if (wrong == 0 && edges > CYCLES / 8 && edges < CYCLES / 2) $display("verified: %0d edges of %0d came through", edges, CYCLES);
    else $display("FAILED: %0d wrong, %0d edges of %0d came through", wrong, edges, CYCLES);
    $finish;
  end
endmodule
`default_nettype wire

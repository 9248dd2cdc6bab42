// A clock gate: passes a rising edge of clk_i only at the end of a cycle in which enable_i is set. A latch, which is
// transparent while the clock is low, holds enable_i, so the output is free of glitches while the clock is high.
// enable_i may settle as late as the input of a register. Gates may be nested. If the cell library has a clock-gating
// cell, replace this module with it. Without GATES, the module is a wire.
`default_nettype none
module clock_gate #(
  parameter GATES = 0
) (
  input  wire clk_i,
  input  wire enable_i,
  output wire clk_o
);
  generate
    if (GATES != 0) begin : g_gate
      reg enable_q;
      /* verilator lint_off LATCH */
      always @* if (!clk_i) enable_q = enable_i;
      /* verilator lint_on LATCH */
      assign clk_o = clk_i && enable_q;
    end else begin : g_wire
      assign clk_o = clk_i;
      wire unused = &{1'b0, enable_i};
    end
  endgenerate
endmodule
`default_nettype wire

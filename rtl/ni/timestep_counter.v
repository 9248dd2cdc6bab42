// The current timestep of a port, which starts at 1. In a cycle with advance_i, it changes to step_i unless step_i is
// earlier.
`default_nettype none
module timestep_counter #(
  parameter STEP_W = 16  // width of a timestep
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              reset_i,    // returns to timestep 1
  input  wire              advance_i,
  input  wire [STEP_W-1:0] step_i,
  output wire [STEP_W-1:0] value_o
);
  localparam [STEP_W-1:0] FIRST = 1;
  reg [STEP_W-1:0] value_q;
  assign value_o = value_q;
  always @(posedge clk_i) begin
    if (!rst_ni || reset_i) value_q <= FIRST;
    else if (advance_i && step_i > value_q) value_q <= step_i;
  end
endmodule
`default_nettype wire

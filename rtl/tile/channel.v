// A channel whose outputs are its inputs from LATENCY cycles earlier. Only the marks, which indicate valid flits and
// credits, are reset. With GATES, the data of a cycle without marks may be lost: the outputs then hold other data.
`default_nettype none
module channel #(
  parameter MARKS = 1,   // number of bits that a reset clears, such as valid bits of flits
  parameter WIDTH = 8,   // number of bits without a reset, at least 1
  parameter LATENCY = 1, // cycles, at least 1
  parameter GATES = 0    // 1: gates the data's clock while no mark enters or leaves
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire [MARKS-1:0] marks_i,
  input  wire [WIDTH-1:0] data_i,
  output wire [MARKS-1:0] marks_o,
  output wire [WIDTH-1:0] data_o
);
  reg [LATENCY*MARKS-1:0] marks_q;
  /* verilator lint_off MULTIDRIVEN */  // with GATES, each stage has a different clock
  reg [LATENCY*WIDTH-1:0] data_q;
  /* verilator lint_on MULTIDRIVEN */
  assign marks_o = marks_q[LATENCY*MARKS-1-:MARKS];
  assign data_o = data_q[LATENCY*WIDTH-1-:WIDTH];
  genvar s;
  generate
    for (s = 0; s < LATENCY; s = s + 1) begin : g_stage
      wire data_clk;
      if (s == 0) begin : g_first
        clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(|marks_i || |marks_q[0+:MARKS]), .clk_o(data_clk));
        always @(posedge clk_i) marks_q[0+:MARKS] <= rst_ni ? marks_i : {MARKS{1'b0}};
        always @(posedge data_clk) data_q[0+:WIDTH] <= data_i;
      end else begin : g_next
        clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(|marks_q[(s-1)*MARKS+:2*MARKS]), .clk_o(data_clk));
        always @(posedge clk_i) marks_q[s*MARKS+:MARKS] <= rst_ni ? marks_q[(s-1)*MARKS+:MARKS] : {MARKS{1'b0}};
        always @(posedge data_clk) data_q[s*WIDTH+:WIDTH] <= data_q[(s-1)*WIDTH+:WIDTH];
      end
    end
  endgenerate
endmodule
`default_nettype wire

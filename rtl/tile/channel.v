// A channel: what goes in comes out LATENCY cycles later. Only the marks (valid flits, credits) are reset.
`default_nettype none
module channel #(
  parameter MARKS = 1,   // bits that a reset clears
  parameter WIDTH = 8,   // bits that go with them, from 1
  parameter LATENCY = 1  // cycles, from 1
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire [MARKS-1:0] marks_i,
  input  wire [WIDTH-1:0] data_i,
  output wire [MARKS-1:0] marks_o,
  output wire [WIDTH-1:0] data_o
);
  reg [LATENCY*MARKS-1:0] marks_q;
  reg [LATENCY*WIDTH-1:0] data_q;
  assign marks_o = marks_q[LATENCY*MARKS-1-:MARKS];
  assign data_o = data_q[LATENCY*WIDTH-1-:WIDTH];
  genvar s;
  generate
    for (s = 0; s < LATENCY; s = s + 1) begin : g_stage
      if (s == 0) begin : g_first
        always @(posedge clk_i) begin
          marks_q[0+:MARKS] <= rst_ni ? marks_i : {MARKS{1'b0}};
          data_q[0+:WIDTH] <= data_i;
        end
      end else begin : g_next
        always @(posedge clk_i) begin
          marks_q[s*MARKS+:MARKS] <= rst_ni ? marks_q[(s-1)*MARKS+:MARKS] : {MARKS{1'b0}};
          data_q[s*WIDTH+:WIDTH] <= data_q[(s-1)*WIDTH+:WIDTH];
        end
      end
    end
  endgenerate
endmodule
`default_nettype wire

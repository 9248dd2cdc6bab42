// A delay line, implemented as a circular buffer: the outputs are the inputs from LATENCY cycles earlier. With LATENCY
// 0, it consists of wires. Only the marks, which indicate valid flits and credits, are reset.
`default_nettype none
module delay_line #(
  parameter MARKS = 1,   // number of bits that a reset clears, such as valid bits of flits
  parameter WIDTH = 8,   // number of bits without a reset, at least 1
  parameter LATENCY = 1  // cycles, at least 0
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire [MARKS-1:0] marks_i,
  input  wire [WIDTH-1:0] data_i,
  output wire [MARKS-1:0] marks_o,
  output wire [WIDTH-1:0] data_o
);
  generate
    if (LATENCY == 0) begin : g_wires
      assign marks_o = marks_i;
      assign data_o = data_i;
      wire unused = &{1'b0, clk_i, rst_ni};
    end else begin : g_memory
      localparam AT_W = LATENCY == 1 ? 1 : $clog2(LATENCY);
      localparam LAST_AT = LATENCY - 1;
      localparam [AT_W-1:0] LAST = LAST_AT[AT_W-1:0];
      reg [MARKS-1:0]         marks_q [0:LATENCY-1];
      reg [WIDTH-1:0]         data_q [0:LATENCY-1];
      reg [AT_W-1:0]          at_q;
      // The memory has no reset, so marks read from it are valid only after the buffer has been filled once.
      reg                     full_q;
      assign marks_o = full_q ? marks_q[at_q] : {MARKS{1'b0}};
      assign data_o = data_q[at_q];
      always @(posedge clk_i) begin
        marks_q[at_q] <= marks_i;
        data_q[at_q] <= data_i;
        if (!rst_ni) begin
          at_q <= {AT_W{1'b0}};
          full_q <= 1'b0;
        end else begin
          at_q <= at_q == LAST ? {AT_W{1'b0}} : at_q + 1'b1;
          full_q <= full_q || at_q == LAST;
        end
      end
    end
  endgenerate
endmodule
`default_nettype wire

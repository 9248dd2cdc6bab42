// A saturating counter that can count up to EVENTS events in each cycle.
`default_nettype none
module event_counter #(
  parameter EVENTS = 4,
  parameter COUNT_W = 32
) (
  input  wire               clk_i,
  input  wire               clear_i,   // the count is 0 in the next cycle, and the events of this cycle are ignored
  input  wire [EVENTS-1:0]  event_i,
  output wire [COUNT_W-1:0] count_o
);
  localparam SUM_W = EVENTS > 1 ? $clog2(EVENTS + 1) : 2;
  reg [COUNT_W-1:0] count_q;
  reg [SUM_W-1:0]   sum_q;    // number of events in the previous cycle
  reg [SUM_W-1:0]   sum;
  wire [COUNT_W:0]  next = {1'b0, count_q} + {{(COUNT_W + 1 - SUM_W){1'b0}}, sum_q};
  integer i;
  always @* begin
    sum = {SUM_W{1'b0}};
    for (i = 0; i < EVENTS; i = i + 1) sum = sum + {{(SUM_W-1){1'b0}}, event_i[i]};
  end
  always @(posedge clk_i) begin
    sum_q <= clear_i ? {SUM_W{1'b0}} : sum;
    count_q <= clear_i ? {COUNT_W{1'b0}} : next[COUNT_W] ? {COUNT_W{1'b1}} : next[COUNT_W-1:0];
  end
  assign count_o = count_q;
endmodule
`default_nettype wire

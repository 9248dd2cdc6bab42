// Counts, per flow, the messages that have been reduced or stored. An arrival of a cycle counts from the next
// on; any number may come at once, of the same flow too. Queries are answered in the same cycle.
`default_nettype none
module dependency_tracker #(
  parameter FLOWS = 64,    // flows, up to 2^FLOW_W
  parameter FLOW_W = 10,   // bits of a flow
  parameter COUNT_W = 10,  // bits of a count; arrivals of a flow stay below 2^COUNT_W
  parameter EVENTS = 8,    // arrivals a cycle
  parameter QUERIES = 4,   // queries a cycle, one per port
  parameter GATES = 0      // 1: the clock stands still while nothing arrives
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire                       reset_i,  // all counts to 0
  input  wire [EVENTS-1:0]          arrived_i,
  input  wire [EVENTS*FLOW_W-1:0]   arrived_flow_i,
  input  wire [QUERIES*FLOW_W-1:0]  query_flow_i,
  input  wire [QUERIES*COUNT_W-1:0] dependencies_i,
  output wire [QUERIES-1:0]         satisfied_o
);
  localparam INDEX_W = $clog2(FLOWS);
  localparam GROUP = 1 << (INDEX_W / 2);  // flows that are looked for together
  localparam SUM_W = $clog2(EVENTS + 1);
  reg  [FLOWS*COUNT_W-1:0] count_q;  // 0 of a flow of which nothing has come

  function [SUM_W-1:0] number_of(input [EVENTS-1:0] bits);
    integer n;
    begin
      number_of = {SUM_W{1'b0}};
      for (n = 0; n < EVENTS; n = n + 1) number_of = number_of + {{(SUM_W - 1){1'b0}}, bits[n]};
    end
  endfunction

  wire clk;
  clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || reset_i || |arrived_i), .clk_o(clk));
  genvar f, e, q;
  generate
    for (f = 0; f < FLOWS; f = f + 1) begin : g_flow
      localparam [INDEX_W-1:0] FLOW = f;
      wire [EVENTS-1:0] mine;
      for (e = 0; e < EVENTS; e = e + 1) begin : g_event
        assign mine[e] = arrived_i[e] && arrived_flow_i[e*FLOW_W+:INDEX_W] == FLOW;
      end
      always @(posedge clk) begin
        if (!rst_ni || reset_i) count_q[f*COUNT_W+:COUNT_W] <= {COUNT_W{1'b0}};
`ifdef VERILATOR
        else if (|arrived_i)  // all that is not added up here is most of its work
`else
        else
`endif
          count_q[f*COUNT_W+:COUNT_W] <= count_q[f*COUNT_W+:COUNT_W] + {{(COUNT_W - SUM_W){1'b0}}, number_of(mine)};
      end
    end
    for (q = 0; q < QUERIES; q = q + 1) begin : g_query
      reg [COUNT_W-1:0] arrivals;
      wire [INDEX_W-1:0] flow = query_flow_i[q*FLOW_W+:INDEX_W];
      integer g, n;
      always @* begin
        arrivals = {COUNT_W{1'b0}};
        for (g = 0; g < FLOWS; g = g + GROUP) begin
          if (flow / GROUP == g[INDEX_W-1:0] / GROUP) begin
            for (n = g; n < g + GROUP && n < FLOWS; n = n + 1)
              if (flow % GROUP == n[INDEX_W-1:0] % GROUP) arrivals = arrivals | count_q[n*COUNT_W+:COUNT_W];
          end
        end
      end
      assign satisfied_o[q] = arrivals >= dependencies_i[q*COUNT_W+:COUNT_W];
    end
  endgenerate

  // Flows are below FLOWS, so the bits above the index are 0.
  wire unused = &{1'b0, query_flow_i, arrived_flow_i};
endmodule
`default_nettype wire

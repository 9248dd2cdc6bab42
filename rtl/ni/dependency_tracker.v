// Counts the messages of each flow that have been reduced or stored. An arrival is counted from the next cycle on. Any
// number of arrivals, even of the same flow, may occur in one cycle. Queries are answered in the same cycle. The inputs
// of the first LATE arrivals may settle late in the cycle, since they are added after the others.
`default_nettype none
module dependency_tracker #(
  parameter FLOWS = 64,    // number of flows, at most 2^FLOW_W
  parameter FLOW_W = 10,   // width of a flow number
  parameter COUNT_W = 10,  // width of a count; each flow has fewer than 2^COUNT_W arrivals
  parameter EVENTS = 8,    // arrivals that can occur in one cycle, at least 2
  parameter LATE = EVENTS / 2,  // arrivals whose inputs settle late, 1 to EVENTS - 1
  parameter QUERIES = 4,   // queries per cycle, one per port
  parameter GATES = 0      // 1: gates the clock while no message arrives
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire                       reset_i,  // resets all counts
  input  wire [EVENTS-1:0]          arrived_i,
  input  wire [EVENTS*FLOW_W-1:0]   arrived_flow_i,
  input  wire [QUERIES*FLOW_W-1:0]  query_flow_i,
  input  wire [QUERIES*COUNT_W-1:0] dependencies_i,
  output wire [QUERIES-1:0]         satisfied_o
);
  localparam INDEX_W = $clog2(FLOWS);
  localparam GROUP = 1 << (INDEX_W / 2);  // flows per group; a flow number is decoded into group and position
  localparam GROUPS = (FLOWS + GROUP - 1) / GROUP;
  localparam EARLY = EVENTS - LATE;
  localparam EARLY_W = $clog2(EARLY + 1);
  localparam LATE_W = $clog2(LATE + 1);
  localparam [COUNT_W-LATE_W-1:0] ONE = 1;
  reg  [FLOWS*COUNT_W-1:0] count_q;  // one count per flow

  function [EARLY_W-1:0] early_of(input [EARLY-1:0] bits);
    integer n;
    begin
      early_of = {EARLY_W{1'b0}};
      for (n = 0; n < EARLY; n = n + 1) early_of = early_of + {{(EARLY_W - 1){1'b0}}, bits[n]};
    end
  endfunction
  function [LATE_W-1:0] late_of(input [LATE-1:0] bits);
    integer n;
    begin
      late_of = {LATE_W{1'b0}};
      for (n = 0; n < LATE; n = n + 1) late_of = late_of + {{(LATE_W - 1){1'b0}}, bits[n]};
    end
  endfunction

  function [COUNT_W-1:0] carried(input [COUNT_W-1:LATE_W] upper, input [LATE_W:0] lower);
    carried = {lower[LATE_W] ? upper + ONE : upper, lower[LATE_W-1:0]};
  endfunction
  function [COUNT_W-1:0] with_late(input [COUNT_W-1:0] count, input [LATE_W-1:0] late);
    with_late = carried(count[COUNT_W-1:LATE_W], {1'b0, count[LATE_W-1:0]} + {1'b0, late});
  endfunction
  function [COUNT_W-1:0] added(input [COUNT_W-1:0] count, input [EARLY_W-1:0] early, input [LATE_W-1:0] late);
    added = with_late(count + {{(COUNT_W - EARLY_W){1'b0}}, early}, late);
  endfunction

  // One-hot decoding of each arrival's flow: the group of the flow, and its position within the group.
  reg [EVENTS*GROUPS-1:0] event_group;
  reg [EVENTS*GROUP-1:0]  event_place;
  integer i, k;
  always @* begin
    event_group = {(EVENTS*GROUPS){1'b0}};
    event_place = {(EVENTS*GROUP){1'b0}};
`ifdef VERILATOR
    if (|arrived_i)  // the result is unused otherwise
`endif
    for (i = 0; i < EVENTS; i = i + 1) begin
      for (k = 0; k < GROUPS; k = k + 1)
        event_group[i*GROUPS+k] = arrived_flow_i[i*FLOW_W+:INDEX_W] / GROUP == k[INDEX_W-1:0];
      for (k = 0; k < GROUP; k = k + 1)
        event_place[i*GROUP+k] = arrived_i[i] && arrived_flow_i[i*FLOW_W+:INDEX_W] % GROUP == k[INDEX_W-1:0];
    end
  end

  wire clk;
  clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || reset_i || |arrived_i), .clk_o(clk));
  genvar f, e, q;
  generate
    for (f = 0; f < FLOWS; f = f + 1) begin : g_flow
      wire [EVENTS-1:0] mine;
      for (e = 0; e < EVENTS; e = e + 1) begin : g_event
        assign mine[e] = event_group[e*GROUPS+f/GROUP] && event_place[e*GROUP+f%GROUP];
      end
      always @(posedge clk) begin
        if (!rst_ni || reset_i) count_q[f*COUNT_W+:COUNT_W] <= {COUNT_W{1'b0}};
`ifdef VERILATOR
        else if (|arrived_i)  // lets simulators skip this logic if nothing arrives
`else
        else
`endif
          count_q[f*COUNT_W+:COUNT_W] <=
            added(count_q[f*COUNT_W+:COUNT_W], early_of(mine[EVENTS-1:LATE]), late_of(mine[LATE-1:0]));
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

  // Flow numbers are below FLOWS, so the bits above INDEX_W are always 0.
  wire unused = &{1'b0, query_flow_i, arrived_flow_i};
endmodule
`default_nettype wire

// Counts, per flow, the messages that have been reduced or stored. An arrival of a cycle counts from the next
// on; any number may come at once, of the same flow too. Queries are answered in the same cycle.
`default_nettype none
module dependency_tracker #(
  parameter FLOWS = 64,    // flows, up to 2^FLOW_W
  parameter FLOW_W = 10,   // bits of a flow
  parameter COUNT_W = 10,  // bits of a count; arrivals of a flow stay below 2^COUNT_W
  parameter EVENTS = 8,    // arrivals a cycle
  parameter QUERIES = 4    // queries a cycle, one per port
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
  reg [FLOWS-1:0]   seen_q;  // flows of which anything has come: only their counts mean anything
  reg [FLOWS*COUNT_W-1:0] count_q;
  reg [FLOWS*COUNT_W-1:0] together;  // arrivals of each flow in this cycle
  integer e, f, i;

  always @* begin
    together = {(FLOWS * COUNT_W){1'b0}};
    if (|arrived_i) begin
      for (f = 0; f < FLOWS; f = f + 1) begin
        for (e = 0; e < EVENTS; e = e + 1) begin
          if (arrived_i[e] && arrived_flow_i[e*FLOW_W+:INDEX_W] == f[INDEX_W-1:0])
            together[f*COUNT_W+:COUNT_W] = together[f*COUNT_W+:COUNT_W] + 1'b1;
        end
      end
    end
  end

  always @(posedge clk_i) begin
    if (!rst_ni || reset_i) begin
      seen_q <= {FLOWS{1'b0}};
    end else if (|arrived_i) begin
      for (i = 0; i < FLOWS; i = i + 1) begin
        if (together[i*COUNT_W+:COUNT_W] != {COUNT_W{1'b0}}) begin
          seen_q[i] <= 1'b1;
          count_q[i*COUNT_W+:COUNT_W] <=
            (seen_q[i] ? count_q[i*COUNT_W+:COUNT_W] : {COUNT_W{1'b0}}) + together[i*COUNT_W+:COUNT_W];
        end
      end
    end
  end

  genvar q;
  generate
    for (q = 0; q < QUERIES; q = q + 1) begin : g_query
      wire [INDEX_W-1:0] flow = query_flow_i[q*FLOW_W+:INDEX_W];
      wire [COUNT_W-1:0] arrivals = seen_q[flow] ? count_q[flow*COUNT_W+:COUNT_W] : {COUNT_W{1'b0}};
      assign satisfied_o[q] = arrivals >= dependencies_i[q*COUNT_W+:COUNT_W];
    end
  endgenerate

  // Flows are below FLOWS, so the bits above the index are 0.
  wire unused = &{1'b0, query_flow_i, arrived_flow_i};
endmodule
`default_nettype wire

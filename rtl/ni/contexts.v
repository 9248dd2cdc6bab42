// Tracks the contexts of a network interface: whether each context holds or is running a collective, how many arrivals
// the collective still expects, and the order in which the contexts started. From the cycle in which a context is
// opened for a collective, it receives the collective's messages. It is started in the same cycle or later, and its
// table entries issue from then on. done_o marks its last cycle: all entries have been sent, including their tails, and
// all messages have been added or stored. The context is free from the next cycle on.
//
// Limit: a collective has fewer than 2^ARRIVALS_W arrivals.
`default_nettype none
module contexts #(
  parameter CONTEXTS = 4,     // at least 2
  parameter CONTEXT_W = 2,    // log2(CONTEXTS), rounded up
  parameter PORTS = 4,
  parameter EVENTS = 8,       // arrivals that can occur in one cycle
  parameter ARRIVALS_W = 16   // width of a collective's arrival count
) (
  input  wire                           clk_i,
  input  wire                           rst_ni,
  input  wire [CONTEXTS-1:0]            open_i,            // the context is opened for a collective
  input  wire [CONTEXTS*ARRIVALS_W-1:0] arrivals_i,  // messages that the collective expects; valid with open_i
  input  wire [CONTEXTS-1:0]            start_i,
  input  wire [CONTEXTS*CONTEXT_W-1:0]  turn_i,  // number of contexts that start in the same cycle but before this one
  // Events in this cycle.
  input  wire [PORTS*CONTEXTS-1:0]      ended_i,           // after this cycle, no entries remain in the port's table
  input  wire [PORTS*CONTEXTS-1:0]      issue_i,
  input  wire [PORTS*CONTEXTS-1:0]      left_i,            // the last tail of a message leaves the port
  input  wire [EVENTS*CONTEXTS-1:0]     arrived_i,         // a message arrives; it is counted from the next cycle on
  // State of the contexts in this cycle.
  output wire [CONTEXTS-1:0]            open_o,
  output wire [CONTEXTS-1:0]            active_o,
  output wire [CONTEXTS-1:0]            fresh_o,           // the context starts in this cycle
  output wire [CONTEXTS*CONTEXT_W-1:0]  place_o,           // number of running contexts that started earlier
  output wire [CONTEXTS-1:0]            done_o
);
  localparam FLIGHT_W = $clog2(2 * PORTS + 1);  // a port holds at most two messages
  localparam SENT_W = $clog2(PORTS + 1);
  localparam CAME_W = $clog2(EVENTS + 1);
  localparam NUMBER_W = CONTEXT_W + 1;

  function [SENT_W-1:0] ports_of(input [PORTS-1:0] bits);
    integer n;
    begin
      ports_of = {SENT_W{1'b0}};
      for (n = 0; n < PORTS; n = n + 1) ports_of = ports_of + {{(SENT_W - 1){1'b0}}, bits[n]};
    end
  endfunction
  function [CAME_W-1:0] events_of(input [EVENTS-1:0] bits);
    integer n;
    begin
      events_of = {CAME_W{1'b0}};
      for (n = 0; n < EVENTS; n = n + 1) events_of = events_of + {{(CAME_W - 1){1'b0}}, bits[n]};
    end
  endfunction
  function [NUMBER_W-1:0] number_of(input [CONTEXTS-1:0] bits);
    integer n;
    begin
      number_of = {NUMBER_W{1'b0}};
      for (n = 0; n < CONTEXTS; n = n + 1) number_of = number_of + {{(NUMBER_W - 1){1'b0}}, bits[n]};
    end
  endfunction

  reg [CONTEXTS-1:0] open_q, started_q;
  reg [NUMBER_W-1:0] running_q;

  assign open_o = open_q | open_i;
  assign active_o = started_q | start_i;
  assign fresh_o = start_i;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q <= {CONTEXTS{1'b0}};
      started_q <= {CONTEXTS{1'b0}};
      running_q <= {NUMBER_W{1'b0}};
    end else begin
      open_q <= open_o & ~done_o;
      started_q <= active_o & ~done_o;
      running_q <= running_q + number_of(start_i) - number_of(done_o);
    end
  end

  genvar c, k;
  generate
    for (c = 0; c < CONTEXTS; c = c + 1) begin : g_context
      reg [ARRIVALS_W-1:0] missing_q;
      reg [FLIGHT_W-1:0]   flight_q;
      reg [CONTEXT_W-1:0]  place_q;

      wire [PORTS-1:0]    ended, issue, left;
      wire [EVENTS-1:0]   arrived;
      wire [CONTEXTS-1:0] earlier;  // contexts that started earlier and end in this cycle
      for (k = 0; k < PORTS; k = k + 1) begin : g_port
        assign ended[k] = ended_i[k*CONTEXTS+c];
        assign issue[k] = issue_i[k*CONTEXTS+c];
        assign left[k] = left_i[k*CONTEXTS+c];
      end
      for (k = 0; k < EVENTS; k = k + 1) begin : g_event
        assign arrived[k] = arrived_i[k*CONTEXTS+c];
      end
      for (k = 0; k < CONTEXTS; k = k + 1) begin : g_other
        assign earlier[k] = done_o[k] && place_o[k*CONTEXT_W+:CONTEXT_W] < place_o[c*CONTEXT_W+:CONTEXT_W];
      end

      wire [NUMBER_W-1:0] last = running_q + {1'b0, turn_i[c*CONTEXT_W+:CONTEXT_W]};
      wire [NUMBER_W-1:0] gone = number_of(earlier);
      assign place_o[c*CONTEXT_W+:CONTEXT_W] = start_i[c] ? last[CONTEXT_W-1:0] : place_q;

      wire [ARRIVALS_W-1:0] missing =
        (open_i[c] ? arrivals_i[c*ARRIVALS_W+:ARRIVALS_W] : missing_q) - {{(ARRIVALS_W - CAME_W){1'b0}}, events_of(arrived)};
      wire [FLIGHT_W-1:0] flight = flight_q + {{(FLIGHT_W - SENT_W){1'b0}}, ports_of(issue)}
                                   - {{(FLIGHT_W - SENT_W){1'b0}}, ports_of(left)};
      assign done_o[c] = active_o[c] && &ended && flight == {FLIGHT_W{1'b0}} && missing == {ARRIVALS_W{1'b0}};

      always @(posedge clk_i) begin
        missing_q <= missing;
        place_q <= place_o[c*CONTEXT_W+:CONTEXT_W] - gone[CONTEXT_W-1:0];
        if (!rst_ni) flight_q <= {FLIGHT_W{1'b0}};
        else flight_q <= flight;
      end
      wire unused = &{1'b0, last[NUMBER_W-1], gone[NUMBER_W-1]};
    end
  endgenerate
endmodule
`default_nettype wire

// Proves that a context reports the end of its collective exactly once: in the first cycle in which it is
// running, its tables are empty, and no message is leaving or expected. Other contexts that start or end do
// not change the start order.
`default_nettype none
module contexts_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [1:0] open = $anyseq, start = $anyseq, ended = $anyseq, issue = $anyseq, left = $anyseq;
  wire [3:0] arrived = $anyseq;  // arrivals of two events, for each context
  wire [5:0] all_arrivals = $anyseq;
  wire [1:0] turn = {start[0] && start[1], 1'b0};
  wire [1:0] is_open, active, fresh, place, done;
  contexts #(.CONTEXTS(2), .CONTEXT_W(1), .PORTS(1), .EVENTS(2), .ARRIVALS_W(3)) dut (
    .clk_i(clk_i), .rst_ni(started), .open_i(open), .arrivals_i(all_arrivals), .start_i(start), .turn_i(turn), .ended_i(ended),
    .issue_i(issue), .left_i(left), .arrived_i(arrived), .open_o(is_open), .active_o(active), .fresh_o(fresh), .place_o(place),
    .done_o(done));

  // One arbitrary context of the two.
  wire w = $anyconst;
  wire [2:0] arrivals = all_arrivals[w*3+:3];
  reg       opened = 1'b0, runs = 1'b0;
  reg [2:0] missing = 3'd0;
  reg [1:0] flight = 2'd0;
  reg       other_runs = 1'b0, other_first = 1'b0;
  wire [2:0] come = {2'd0, arrived[w]} + {2'd0, arrived[2+w]};
  wire [2:0] left_to_come = (open[w] ? arrivals : missing) - come;
  wire [1:0] on_the_way = flight + {1'b0, issue[w]} - {1'b0, left[w]};
  wire       runs_now = runs || start[w];
  always @(posedge clk_i) begin
    if (!started) begin
      assume (open == 2'd0 && start == 2'd0);
    end else begin
      // Assumptions about the surrounding blocks.
      assume (!(open[w] && opened));
      assume (!(start[w] && (runs || !(opened || open[w]))));
      assume (!(start[!w] && other_runs));
      assume (come <= (open[w] ? arrivals : missing) && (opened || open[w] || come == 3'd0));
      assume (!left[w] || flight != 2'd0);
      assume (!issue[w] || (runs_now && (flight != 2'd2 || left[w]) && !(issue[w] && issue[!w])));
      assume (!(left[w] && left[!w]));

      assert (is_open[w] == (opened || open[w]) && active[w] == runs_now);
      assert (done[w] == (runs_now && ended[w] && on_the_way == 2'd0 && left_to_come == 3'd0));
      if (runs_now && (other_runs || start[!w]))
        assert (place[w] == (other_runs && (start[w] || other_first)) || (start[0] && start[1] && place[w] == w));
      if (runs_now && !other_runs && !start[!w]) assert (place[w] == 1'b0);
      opened <= (opened || open[w]) && !done[w];
      runs <= runs_now && !done[w];
      missing <= left_to_come;
      flight <= on_the_way;
      other_runs <= (other_runs || start[!w]) && !done[!w];
      if (start[w] && other_runs) other_first <= 1'b1;
      else if (start[!w]) other_first <= start[w] && w;
    end
  end
endmodule
`default_nettype wire

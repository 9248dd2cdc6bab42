// Properties of dependency_tracker together with command_decoder. An entry issues if and only if the arrivals
// on which it depends have been counted, the lockstep does not hold it and a slot is free, even if several
// messages arrive in the same cycle.
`default_nettype none
module dependency_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [3:0] arrived = $anyseq;
  wire [7:0] arrived_flow = $anyseq;
  wire [1:0] flow = $anyseq;
  wire [3:0] dependencies = $anyseq;
  wire valid = $anyseq, nop = $anyseq, lockstep = $anyseq, hold = $anyseq, place = $anyseq, pass = $anyseq;
  wire satisfied, issue, is_nop;
  wire [2:0] state;
  dependency_tracker #(.FLOWS(4), .FLOW_W(2), .COUNT_W(4), .EVENTS(4), .QUERIES(1)) tracker (
    .clk_i(clk_i), .rst_ni(started), .reset_i(1'b0), .arrived_i(arrived), .arrived_flow_i(arrived_flow),
    .query_flow_i(flow), .dependencies_i(dependencies), .satisfied_o(satisfied));
  command_decoder decoder (
    .valid_i(valid), .pass_i(pass), .nop_i(nop), .lockstep_i(lockstep), .hold_i(hold), .satisfied_i(satisfied),
    .place_i(place), .state_o(state), .issue_o(issue), .nop_o(is_nop));

  // The properties watch the arrivals of an arbitrary flow.
  wire [1:0] watched = $anyconst;
  reg [3:0] seen = 4'd0;
  wire [2:0] come = {2'd0, arrived[0] && arrived_flow[1:0] == watched} +
                    {2'd0, arrived[1] && arrived_flow[3:2] == watched} +
                    {2'd0, arrived[2] && arrived_flow[5:4] == watched} +
                    {2'd0, arrived[3] && arrived_flow[7:6] == watched};
  always @(posedge clk_i) begin
    if (started) begin
      assume ({1'b0, seen} + {2'd0, come} < 5'd16);
      seen <= seen + {1'b0, come};
      if (flow == watched && issue) assert (seen >= dependencies);
      if (issue) assert (place && valid && !pass && !nop && !(lockstep && hold));
      if (is_nop) assert (valid && !pass && nop && !(lockstep && hold));
      if (flow == watched && valid && !pass && !nop && !hold && place && seen >= dependencies) assert (issue);
    end
  end
endmodule
`default_nettype wire

// Proves that context_arbiter grants exactly one request whenever there is one. Contexts that start in the
// current cycle have lower priority than all others. In start order, the context that started first is served
// first; by priority, the context with the highest priority. Round-robin begins with the context that started
// first, and serves a continuous request within as many grants as there are contexts, unless contexts start
// or end meanwhile.
`default_nettype none
module context_arbiter_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [1:0] order = $anyconst;
  wire [2:0] request = $anyseq;
  wire [2:0] fresh = $anyseq;
  wire [2:0] done = $anyseq;
  wire [5:0] place = $anyconst;      // the start order, which is assumed to stay the same
  wire [5:0] priority_of = $anyconst;
  wire [2:0] grant;
  context_arbiter #(.CONTEXTS(3), .CONTEXT_W(2), .PRIORITY_W(2)) dut (
    .clk_i(clk_i), .rst_ni(started), .order_i(order), .request_i(request), .fresh_i(fresh), .place_i(place),
    .priority_i(priority_of), .done_i(done), .grant_o(grant));

  // Two arbitrary different contexts.
  wire [1:0] one = $anyconst, other = $anyconst;
  wire [1:0] place_one = place[one*2+:2], place_other = place[other*2+:2];
  wire signed [1:0] high_one = priority_of[one*2+:2], high_other = priority_of[other*2+:2];
  wire both = request[one] && request[other];
  reg [2:0] last = 3'd0;    // the context that was served last, if it is still running
  reg [1:0] passed = 2'd0;  // grants to others since context `one` requested, while no context starts or ends
  always @(posedge clk_i) begin
    assume (one != other && one != 2'd3 && other != 2'd3 && order != 2'd3);
    assume (place[1:0] != place[3:2] && place[1:0] != place[5:4] && place[3:2] != place[5:4]);
    if (started) begin
      assume ((done & request) == 3'd0);
      assert ((grant & ~request) == 3'd0);
      assert ((grant & (grant - 3'd1)) == 3'd0);
      assert ((grant != 3'd0) == (request != 3'd0));
      if (both && fresh[one] && !fresh[other]) assert (!grant[one]);
      if (both && fresh[one] && fresh[other] && place_one > place_other) assert (!grant[one]);
      if (both && !fresh[one] && !fresh[other]) begin
        if (order == 2'd1 && high_one < high_other) assert (!grant[one]);
        if (order == 2'd1 && high_one == high_other && place_one > place_other) assert (!grant[one]);
        if (order == 2'd2 && place_one > place_other) assert (!grant[one]);
      end
      if (order == 2'd0 && last == 3'd0 && both && !fresh[one] && !fresh[other] && place_one > place_other) assert (!grant[one]);
      last <= (grant != 3'd0 ? grant : last) & ~done;
      if (!request[one] || grant[one] || fresh != 3'd0 || done != 3'd0) passed <= 2'd0;
      else if (grant != 3'd0) passed <= passed + 2'd1;
      if (order == 2'd0 && fresh == 3'd0 && done == 3'd0) assert (passed < 2'd2 || grant == 3'd0 || !request[one] || grant[one]);
    end
  end
endmodule
`default_nettype wire

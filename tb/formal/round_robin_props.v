// Proves that round_robin grants exactly one request whenever there is one, and prefers requests at or after
// the pointer. If the pointer moves past every winner, a continuous request is served within as many grants
// as there are requesters.
`default_nettype none
module round_robin_props (input wire clk_i);
  wire [3:0] request = $anyseq;
  reg  [3:0] pointer = 4'd0;
  wire [3:0] grant, behind;
  wire any;
  round_robin #(.WIDTH(4)) dut (
    .request_i(request), .from_i(pointer), .grant_o(grant), .behind_o(behind), .any_o(any));

  wire [1:0] watched = $anyconst;
  reg  [2:0] passed = 3'd0;  // grants to others since the watched request began
  always @(posedge clk_i) begin
    assert (any == (request != 4'd0));
    assert ((grant & ~request) == 4'd0);
    assert ((grant & (grant - 4'd1)) == 4'd0);
    if (any) assert (grant != 4'd0 && behind == ~(grant | (grant - 4'd1)));
    else assert (grant == 4'd0);
    if ((request & pointer) != 4'd0) assert ((grant & pointer) != 4'd0);
    if (any) pointer <= behind;
    if (!request[watched] || grant[watched]) passed <= 3'd0;
    else if (any) passed <= passed + 3'd1;
    assert (passed < 3'd4);
  end
endmodule
`default_nettype wire

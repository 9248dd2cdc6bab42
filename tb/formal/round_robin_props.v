// round_robin, its pointer moved behind every winner: a grant is one-hot, of a request, and there whenever anything is
// requested; a request that stands is granted within as many grants as there are requesters.
`default_nettype none
module round_robin_props (input wire clk_i);
  wire [3:0] request = $anyseq;
  reg  [1:0] pointer = 2'd0;
  wire [3:0] grant;
  wire [1:0] index;
  wire any;
  round_robin #(.WIDTH(4), .INDEX_W(2)) dut (
    .request_i(request), .pointer_i(pointer), .grant_o(grant), .index_o(index), .any_o(any));

  wire [1:0] watched = $anyconst;
  reg  [2:0] passed = 3'd0;  // grants since the watched request stands
  always @(posedge clk_i) begin
    assert (any == (request != 4'd0));
    assert ((grant & ~request) == 4'd0);
    assert ((grant & (grant - 4'd1)) == 4'd0);
    if (any) assert (grant == 4'd1 << index);
    else assert (grant == 4'd0);
    if (any) pointer <= index + 2'd1;
    if (!request[watched] || grant[watched]) passed <= 3'd0;
    else if (any) passed <= passed + 3'd1;
    assert (passed < 3'd4);
  end
endmodule
`default_nettype wire

// Round-robin arbiter: grants the first request at or after a pointer, wrapping around. The pointer is a mask whose
// bits are 1 from the first position on; with a mask of zeros, the search begins at request 0. If behind_o becomes the
// pointer after each grant, a persistent request is granted within WIDTH grants. Priorities depend only on the pointer,
// so they are ready before the requests arrive, and each request only has to check whether a request with priority over
// it is present.
`default_nettype none
module round_robin #(
  parameter WIDTH = 8  // number of requests, at least 2
) (
  input  wire [WIDTH-1:0] request_i,
  input  wire [WIDTH-1:0] from_i,    // the pointer, as a mask
  output wire [WIDTH-1:0] grant_o,   // one-hot, or zero without requests
  output wire [WIDTH-1:0] behind_o,  // the pointer to the position after the granted request
  output wire             any_o
);
  // Sets all bits above the lowest set bit.
  function [WIDTH-1:0] upward(input [WIDTH-1:0] bits);
    integer step;
    begin
      upward = bits;
      for (step = 1; step < WIDTH; step = step * 2) upward = upward | upward << step;
    end
  endfunction
  reg [WIDTH-1:0] grant, behind, ahead, above;
  integer i;
  always @* begin
    grant = {WIDTH{1'b0}};
    behind = {WIDTH{1'b0}};
    ahead = {WIDTH{1'b0}};  // mask of the requests that have priority over request i
    above = {WIDTH{1'b0}};  // mask of the requests with higher numbers than i
`ifdef VERILATOR
    if (any_o)  // otherwise there is no grant
`endif
    begin
      for (i = 0; i < WIDTH; i = i + 1) begin
        above = {WIDTH{1'b1}} << i << 1;
        ahead = ((from_i | {WIDTH{!from_i[i]}}) & ~({WIDTH{1'b1}} << i)) | (from_i & {WIDTH{!from_i[i]}} & above);
        grant[i] = request_i[i] && (request_i & ahead) == {WIDTH{1'b0}};
      end
      behind = upward(grant) << 1;
    end
  end
  assign grant_o = grant;
  assign any_o = |request_i;
  assign behind_o = behind;
endmodule
`default_nettype wire

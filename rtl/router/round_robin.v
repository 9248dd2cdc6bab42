// Grants the first request at or after a pointer, wrapping around. The pointer is a mask with ones from its position up;
// a mask of zeros starts at the lowest request. If the pointer follows each winner (behind_o), every persistent request
// is granted within WIDTH grants. The priorities depend on the pointer only and are ready before the requests, so that
// each request only has to check whether an earlier one is present.
`default_nettype none
module round_robin #(
  parameter WIDTH = 8  // number of requests, at least 2
) (
  input  wire [WIDTH-1:0] request_i,
  input  wire [WIDTH-1:0] from_i,    // the pointer
  output wire [WIDTH-1:0] grant_o,   // one-hot, or zero without requests
  output wire [WIDTH-1:0] behind_o,  // the pointer after the winner
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
    ahead = {WIDTH{1'b0}};  // requests with priority over this one
    above = {WIDTH{1'b0}};  // higher-numbered requests
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

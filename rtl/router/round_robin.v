// The first request from a pointer on, wrapping around: one-hot. A pointer is a mask: ones from it on, or none at all for
// the lowest request. Whoever makes behind_o the pointer behind each winner serves every steady request within WIDTH grants.
// The first of all and the first from the pointer on are there when it is known which counts.
`default_nettype none
module round_robin #(
  parameter WIDTH = 8  // requests, from 2
) (
  input  wire [WIDTH-1:0] request_i,
  input  wire [WIDTH-1:0] from_i,    // the pointer
  output wire [WIDTH-1:0] grant_o,   // one-hot, or none where nothing is requested
  output wire [WIDTH-1:0] behind_o,  // the pointer behind the winner
  output wire             any_o
);
  // Ones from the lowest one on.
  function [WIDTH-1:0] upward(input [WIDTH-1:0] bits);
    integer step;
    begin
      upward = bits;
      for (step = 1; step < WIDTH; step = step * 2) upward = upward | upward << step;
    end
  endfunction
  wire [WIDTH-1:0] above = request_i & from_i;
  wire [WIDTH-1:0] first = upward(request_i);
  wire [WIDTH-1:0] first_above = upward(above);
  wire wraps = above == {WIDTH{1'b0}};
  assign behind_o = (wraps ? first : first_above) << 1;
  assign grant_o = wraps ? first & ~(first << 1) : first_above & ~(first_above << 1);
  assign any_o = |request_i;
endmodule
`default_nettype wire

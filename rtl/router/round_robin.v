// The first request at or after a pointer, wrapping around: one-hot, and its number. Whoever moves the pointer behind
// each winner serves every steady request within WIDTH grants.
`default_nettype none
module round_robin #(
  parameter WIDTH = 8,   // requests, from 2
  parameter INDEX_W = 3  // log2(WIDTH), rounded up
) (
  input  wire [WIDTH-1:0]   request_i,
  input  wire [INDEX_W-1:0] pointer_i,  // below WIDTH
  output wire [WIDTH-1:0]   grant_o,    // one-hot, or none where nothing is requested
  output reg  [INDEX_W-1:0] index_o,
  output wire               any_o
);
  wire [WIDTH-1:0] above = request_i & ({WIDTH{1'b1}} << pointer_i);
  wire [WIDTH-1:0] from = |above ? above : request_i;
  assign grant_o = from & (~from + {{(WIDTH - 1){1'b0}}, 1'b1});
  assign any_o = |request_i;
  integer i;
  always @* begin
    index_o = {INDEX_W{1'b0}};
    for (i = 0; i < WIDTH; i = i + 1) if (grant_o[i]) index_o = index_o | i[INDEX_W-1:0];
  end
endmodule
`default_nettype wire

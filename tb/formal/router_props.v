// Proves router_inside.v in every reachable state, for a router with any allocators that satisfy vc_allocator_props and
// switch_allocator_props, any flits, and any neighbours that return their slots.
`default_nettype none
module router_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [3:0] places = $anyconst;  // downstream slots per virtual channel, for each output
  wire [1:0] valid = $anyseq, vc = $anyseq, head = $anyseq, tail = $anyseq;
  wire [13:0] flit = $anyseq;
  wire [3:0] credit = $anyseq, credit_out;
  wire [1:0] valid_out, vc_out, head_out, tail_out;
  wire [13:0] flit_out;
  // 7-bit flits, 6 bits of which are a route of two hops: a port and the first and last virtual channel per hop.
  router #(
    .PORTS(2), .PORT_W(1), .VCS(2), .VC_W(1), .FLIT_W(7), .DEPTH(2), .DEPTH_W(1), .CREDIT_W(2), .INPUT_W(2),
    .ROUTE_AT(0), .ROUTE_W(6), .HOP_PORT_W(1)
  ) dut (
    .clk_i(clk_i), .rst_ni(started), .credits_i(places),
    .flit_valid_i({vc[1] && valid[1], !vc[1] && valid[1], vc[0] && valid[0], !vc[0] && valid[0]}), .flit_head_i(head),
    .flit_tail_i(tail), .flit_i(flit), .credit_o(credit_out), .flit_valid_o(valid_out), .flit_vc_o(vc_out),
    .flit_head_o(head_out), .flit_tail_o(tail_out), .flit_o(flit_out), .credit_i(credit));
endmodule
`default_nettype wire

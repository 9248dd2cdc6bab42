// Instantiates a router for the properties in router_inside.v. The allocators are arbitrary within
// vc_allocator_props and switch_allocator_props; flits are arbitrary, and neighbours return slots in any
// order.
`default_nettype none
module router_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [3:0] places = $anyconst;  // downstream slots per virtual channel for each of the outputs
  wire [1:0] valid = $anyseq, vc = $anyseq, head = $anyseq, tail = $anyseq;
  wire [13:0] flit = $anyseq;
  wire [3:0] credit = $anyseq, credit_out;
  wire [1:0] valid_out, vc_out, head_out, tail_out;
  wire [13:0] flit_out;
  // A flit has 7 bits. In a head, 6 of these are a route of two hops, each with a port and the first and last
  // virtual channel.
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

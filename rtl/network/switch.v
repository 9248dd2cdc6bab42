// A switch: a router with ports to links only. Its pins are registered like those of a tile (rtl/tile/tile.v),
// so tiles and switches are connected in the same way and with equal latencies.
//
// The limits of router.v apply. In addition, each neighbour's buffers must hold at least CREDITS flits per virtual
// channel.
`default_nettype none
module switch #(
  parameter LINKS = 4,       // channels to and from neighbours
  parameter FLIT_W = 128,    // flit width, 32 times a power of two
  parameter VCS = 4,         // virtual channels, a power of two, at least 2
  parameter DEPTH = 16,      // flits per buffer, a power of two
  parameter CREDITS = 16,    // credits per virtual channel of each link, at most DEPTH
  parameter ROUTE_AT = 81,   // first bit of the route in a head flit
  parameter HOP_PORT_W = 3,  // width of a hop's output port
  parameter HOPS = 6,        // hops in a route
  // These parameters are derived from the others; do not set them.
  parameter VC_W = $clog2(VCS),
  parameter ROUTE_W = HOPS * (HOP_PORT_W + 2 * VC_W)
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  output wire [LINKS-1:0]        flit_valid_o,
  output wire [LINKS*VC_W-1:0]   flit_vc_o,
  output wire [LINKS-1:0]        flit_head_o,
  output wire [LINKS-1:0]        flit_tail_o,
  output wire [LINKS*FLIT_W-1:0] flit_o,
  input  wire [LINKS*VCS-1:0]    credit_i,
  input  wire [LINKS-1:0]        flit_valid_i,
  input  wire [LINKS*VC_W-1:0]   flit_vc_i,
  input  wire [LINKS-1:0]        flit_head_i,
  input  wire [LINKS-1:0]        flit_tail_i,
  input  wire [LINKS*FLIT_W-1:0] flit_i,
  output wire [LINKS*VCS-1:0]    credit_o
);
  localparam PORT_W = LINKS == 1 ? 1 : $clog2(LINKS);
  localparam CREDIT_W = $clog2(DEPTH + 1);
  localparam [CREDIT_W-1:0] LINK_CREDITS = CREDITS[CREDIT_W-1:0];
  generate
    if (HOP_PORT_W < PORT_W) begin : g_check_hop
      HOP_PORT_W_must_hold_every_port_of_the_switch i_wrong ();
    end
    if (CREDITS > DEPTH) begin : g_check_credits
      CREDITS_must_be_at_most_DEPTH i_wrong ();
    end
  endgenerate

  wire [LINKS*VCS-1:0]    in_valid, in_credit, out_credit;
  wire [LINKS-1:0]        in_head, in_tail;
  wire [LINKS*FLIT_W-1:0] in_flit;
  router #(
    .PORTS(LINKS), .PORT_W(PORT_W), .VCS(VCS), .VC_W(VC_W), .FLIT_W(FLIT_W), .DEPTH(DEPTH), .DEPTH_W($clog2(DEPTH)),
    .CREDIT_W(CREDIT_W), .INPUT_W($clog2(LINKS * VCS)), .ROUTE_AT(ROUTE_AT), .ROUTE_W(ROUTE_W), .HOP_PORT_W(HOP_PORT_W)
  ) i_router (
    .clk_i(clk_i), .rst_ni(rst_ni), .credits_i({LINKS{LINK_CREDITS}}), .flit_valid_i(in_valid), .flit_head_i(in_head),
    .flit_tail_i(in_tail), .flit_i(in_flit), .credit_o(in_credit), .flit_valid_o(flit_valid_o), .flit_vc_o(flit_vc_o),
    .flit_head_o(flit_head_o), .flit_tail_o(flit_tail_o), .flit_o(flit_o), .credit_i(out_credit));

  // One-hot virtual channel of an arriving flit; 0 if no flit arrives.
  function [VCS-1:0] marks_of(input valid, input [VC_W-1:0] vc);
    integer n;
    for (n = 0; n < VCS; n = n + 1) marks_of[n] = valid && vc == n[VC_W-1:0];
  endfunction

  genvar p;
  generate
    for (p = 0; p < LINKS; p = p + 1) begin : g_link
      channel #(.MARKS(VCS), .WIDTH(2 + FLIT_W)) i_flit_in (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(marks_of(flit_valid_i[p], flit_vc_i[p*VC_W+:VC_W])),
        .data_i({flit_head_i[p], flit_tail_i[p], flit_i[p*FLIT_W+:FLIT_W]}), .marks_o(in_valid[p*VCS+:VCS]),
        .data_o({in_head[p], in_tail[p], in_flit[p*FLIT_W+:FLIT_W]}));
      wire unused_out, unused_in;
      channel #(.MARKS(VCS), .WIDTH(1)) i_credit_out (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(in_credit[p*VCS+:VCS]), .data_i(1'b0),
        .marks_o(credit_o[p*VCS+:VCS]), .data_o(unused_out));
      channel #(.MARKS(VCS), .WIDTH(1)) i_credit_in (
        .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(credit_i[p*VCS+:VCS]), .data_i(1'b0),
        .marks_o(out_credit[p*VCS+:VCS]), .data_o(unused_in));
    end
  endgenerate
endmodule
`default_nettype wire

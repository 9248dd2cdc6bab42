// Stands for switch_allocator in proofs about what is around it: anything that switch_allocator_props proves of it.
`default_nettype none
module switch_allocator #(
  parameter PORTS = 5,
  parameter PORT_W = 3,
  parameter VCS = 4,
  parameter VC_W = 2
) (
  input  wire                         clk_i,
  input  wire                         rst_ni,
  input  wire [PORTS*VCS-1:0]         request_i,
  input  wire [PORTS*VCS*PORT_W-1:0]  out_port_i,
  output wire [PORTS-1:0]             granted_o,
  output wire [PORTS*VC_W-1:0]        vc_o,
  output wire [PORTS*PORT_W-1:0]      port_o
);
  wire [PORTS-1:0]        granted = $anyseq;
  wire [PORTS*VC_W-1:0]   vc = $anyseq;
  wire [PORTS*PORT_W-1:0] port = $anyseq;
  assign granted_o = granted;
  assign vc_o = vc;
  assign port_o = port;
  integer i, k;
  always @* begin
    assume (request_i == {(PORTS * VCS){1'b0}} || granted != {PORTS{1'b0}});
    for (i = 0; i < PORTS; i = i + 1) begin
      if (granted[i]) begin
        assume (request_i[i*VCS+vc[i*VC_W+:VC_W]]);
        assume (out_port_i[(i*VCS+vc[i*VC_W+:VC_W])*PORT_W+:PORT_W] == port[i*PORT_W+:PORT_W]);
        for (k = 0; k < i; k = k + 1)
          assume (!granted[k] || port[k*PORT_W+:PORT_W] != port[i*PORT_W+:PORT_W]);
      end
    end
  end
  wire unused = &{1'b0, clk_i, rst_ni};
endmodule
`default_nettype wire

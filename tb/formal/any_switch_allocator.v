// Replaces switch_allocator in proofs of the blocks around it. Its behaviour is arbitrary within the
// properties in switch_allocator_props.
`default_nettype none
module switch_allocator #(
  parameter GATES = 0,
  parameter PORTS = 5,
  parameter VCS = 4
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire [PORTS*VCS*PORTS-1:0] request_i,
  output wire [PORTS*VCS-1:0]       vc_o,
  output wire [PORTS*PORTS-1:0]     port_o
);
  wire [PORTS*VCS-1:0]   vc = $anyseq;
  wire [PORTS*PORTS-1:0] port = $anyseq;
  assign vc_o = vc;
  assign port_o = port;
  integer i, k, v;
  always @* begin
    assume (request_i == {(PORTS * VCS * PORTS){1'b0}} || vc != {(PORTS * VCS){1'b0}});
    for (i = 0; i < PORTS; i = i + 1) begin
      assume ((vc[i*VCS+:VCS] & (vc[i*VCS+:VCS] - 1'b1)) == {VCS{1'b0}});
      assume ((port[i*PORTS+:PORTS] & (port[i*PORTS+:PORTS] - 1'b1)) == {PORTS{1'b0}});
      assume (|vc[i*VCS+:VCS] == |port[i*PORTS+:PORTS]);
      for (v = 0; v < VCS; v = v + 1)
        assume (!vc[i*VCS+v] || |(request_i[(i*VCS+v)*PORTS+:PORTS] & port[i*PORTS+:PORTS]));
      for (k = 0; k < i; k = k + 1) assume ((port[k*PORTS+:PORTS] & port[i*PORTS+:PORTS]) == {PORTS{1'b0}});
    end
  end
  wire unused = &{1'b0, clk_i, rst_ni};
endmodule
`default_nettype wire

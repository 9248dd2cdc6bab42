// Stands for vc_allocator in proofs about what is around it: anything that vc_allocator_props proves of it.
`default_nettype none
module vc_allocator #(
  parameter PORTS = 5,
  parameter PORT_W = 3,
  parameter VCS = 4,
  parameter VC_W = 2,
  parameter INPUTS = 20,
  parameter INPUT_W = 5
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire [INPUTS-1:0]        request_i,
  input  wire [INPUTS*PORT_W-1:0] out_port_i,
  input  wire [INPUTS*VCS-1:0]    allowed_i,
  input  wire [INPUTS-1:0]        free_i,
  output wire [INPUTS-1:0]        granted_o,
  output wire [INPUTS*VC_W-1:0]   vc_o,
  output reg  [INPUTS-1:0]        taken_o
);
  wire [INPUTS-1:0]      granted = $anyseq;
  wire [INPUTS*VC_W-1:0] vc = $anyseq;
  assign granted_o = granted;
  assign vc_o = vc;
  reg [INPUTS-1:0] twice;
  integer i;
  always @* begin
    taken_o = {INPUTS{1'b0}};
    twice = {INPUTS{1'b0}};
    for (i = 0; i < INPUTS; i = i + 1) begin
      if (granted[i]) begin
        twice[i] = taken_o[{out_port_i[i*PORT_W+:PORT_W], vc[i*VC_W+:VC_W]}];
        taken_o[{out_port_i[i*PORT_W+:PORT_W], vc[i*VC_W+:VC_W]}] = 1'b1;
      end
    end
  end
  integer k;
  always @* begin
    assume ((granted & ~request_i) == {INPUTS{1'b0}});
    assume ((taken_o & ~free_i) == {INPUTS{1'b0}});
    assume (twice == {INPUTS{1'b0}});
    for (k = 0; k < INPUTS; k = k + 1) assume (!granted[k] || allowed_i[k*VCS+vc[k*VC_W+:VC_W]]);
  end
  wire unused = &{1'b0, clk_i, rst_ni};
endmodule
`default_nettype wire

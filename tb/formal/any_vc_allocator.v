// Replaces vc_allocator in proofs of the blocks around it. Its behaviour is arbitrary within the properties
// in vc_allocator_props.
`default_nettype none
module vc_allocator #(
  parameter GATES = 0,
  parameter PORTS = 5,
  parameter VCS = 4,
  parameter INPUTS = 20,
  parameter INPUT_W = 5
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire [INPUTS-1:0]       request_i,
  input  wire [INPUTS*PORTS-1:0] out_port_i,
  input  wire [INPUTS*VCS-1:0]   allowed_i,
  input  wire [INPUTS-1:0]       free_i,
  output wire [INPUTS*VCS-1:0]   vc_o,
  output reg  [INPUTS-1:0]       taken_o
);
  wire [INPUTS*VCS-1:0] vc = $anyseq;
  assign vc_o = vc;
  reg twice;
  integer i, p, v;
  always @* begin
    taken_o = {INPUTS{1'b0}};
    twice = 1'b0;
    for (i = 0; i < INPUTS; i = i + 1) begin
      for (p = 0; p < PORTS; p = p + 1) begin
        for (v = 0; v < VCS; v = v + 1) begin
          if (out_port_i[i*PORTS+p] && vc[i*VCS+v]) begin
            if (taken_o[p*VCS+v]) twice = 1'b1;
            taken_o[p*VCS+v] = 1'b1;
          end
        end
      end
    end
  end
  integer k;
  always @* begin
    assume ((taken_o & ~free_i) == {INPUTS{1'b0}});
    assume (!twice);
    assume ((vc & ~allowed_i) == {(INPUTS * VCS){1'b0}});
    for (k = 0; k < INPUTS; k = k + 1) begin
      assume ((vc[k*VCS+:VCS] & (vc[k*VCS+:VCS] - 1'b1)) == {VCS{1'b0}});
      assume (request_i[k] || vc[k*VCS+:VCS] == {VCS{1'b0}});
    end
  end
  wire unused = &{1'b0, clk_i, rst_ni};
endmodule
`default_nettype wire

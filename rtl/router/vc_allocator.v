// Gives output virtual channels to packets: separable, one iteration. Every free output virtual channel grants the
// first input virtual channel from its pointer on that asks for it; every input takes, of what was granted, the first
// from its output port's pointer on, which then stands behind what the highest input took (gradient messages rotate
// over the virtual channels of a port).
`default_nettype none
module vc_allocator #(
  parameter PORTS = 5,
  parameter PORT_W = 3,    // log2(PORTS), rounded up
  parameter VCS = 4,        // a power of two from 2
  parameter VC_W = 2,      // log2(VCS), rounded up
  parameter INPUTS = 20,   // PORTS * VCS
  parameter INPUT_W = 5    // log2(INPUTS), rounded up
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire [INPUTS-1:0]        request_i,   // of input virtual channels
  input  wire [INPUTS*PORT_W-1:0] out_port_i,
  input  wire [INPUTS*VCS-1:0]    allowed_i,   // virtual channels that it may have
  input  wire [INPUTS-1:0]        free_i,      // output virtual channels that nobody has
  output wire [INPUTS-1:0]        granted_o,   // input virtual channels that have one now
  output wire [INPUTS*VC_W-1:0]   vc_o,        // which
  output wire [INPUTS-1:0]        taken_o      // output virtual channels that are given away now
);
  localparam LAST_VC = VCS - 1;
  localparam LAST_INPUT = INPUTS - 1;
  reg [INPUTS*INPUT_W-1:0] grant_pointer_q;  // of output virtual channels
  reg [PORTS*VC_W-1:0]     vc_pointer_q;     // of output ports

  wire [INPUTS*INPUTS-1:0]  grants;   // [output virtual channel][input virtual channel]
  wire [INPUTS*INPUT_W-1:0] grantee;  // of each output virtual channel
  wire [INPUTS-1:0]         grants_any;
  wire [INPUTS*VCS-1:0]     takes;    // [input virtual channel][virtual channel of its output port]
  genvar o, i, v;
  generate
    for (o = 0; o < INPUTS; o = o + 1) begin : g_output
      localparam PORT_NUMBER = o / VCS;
      localparam VC_NUMBER = o % VCS;
      localparam [PORT_W-1:0] PORT = PORT_NUMBER[PORT_W-1:0];
      wire [INPUTS-1:0] asks;
      for (i = 0; i < INPUTS; i = i + 1) begin : g_input
        assign asks[i] = request_i[i] && free_i[o] && out_port_i[i*PORT_W+:PORT_W] == PORT &&
                         allowed_i[i*VCS+VC_NUMBER];
      end
      wire [INPUT_W-1:0] index = grantee[o*INPUT_W+:INPUT_W];
      round_robin #(.WIDTH(INPUTS), .INDEX_W(INPUT_W)) i_grant (
        .request_i(asks), .pointer_i(grant_pointer_q[o*INPUT_W+:INPUT_W]), .grant_o(grants[o*INPUTS+:INPUTS]),
        .index_o(grantee[o*INPUT_W+:INPUT_W]), .any_o(grants_any[o]));
      wire [INPUTS-1:0] takers;
      for (i = 0; i < INPUTS; i = i + 1) begin : g_taker
        assign takers[i] = takes[i*VCS+VC_NUMBER];
      end
      assign taken_o[o] = grants_any[o] && takers[index];
      always @(posedge clk_i) begin
        if (!rst_ni) grant_pointer_q[o*INPUT_W+:INPUT_W] <= {INPUT_W{1'b0}};
        else if (taken_o[o])
          grant_pointer_q[o*INPUT_W+:INPUT_W] <=
            index == LAST_INPUT[INPUT_W-1:0] ? {INPUT_W{1'b0}} : index + 1'b1;
      end
    end
    for (i = 0; i < INPUTS; i = i + 1) begin : g_accept
      wire [PORT_W-1:0] port = out_port_i[i*PORT_W+:PORT_W];
      wire [VCS-1:0] mine;
      wire [INPUTS-1:0] granted;  // by output virtual channel
      for (v = 0; v < INPUTS; v = v + 1) begin : g_granted
        assign granted[v] = grants[v*INPUTS+i];
      end
      for (v = 0; v < VCS; v = v + 1) begin : g_vc
        localparam [VC_W-1:0] VC = v;
        assign mine[v] = request_i[i] && granted[{port, VC}];
      end
      round_robin #(.WIDTH(VCS), .INDEX_W(VC_W)) i_accept (
        .request_i(mine), .pointer_i(vc_pointer_q[port*VC_W+:VC_W]), .grant_o(takes[i*VCS+:VCS]),
        .index_o(vc_o[i*VC_W+:VC_W]), .any_o(granted_o[i]));
    end
    // Behind what the highest input took.
    for (o = 0; o < PORTS; o = o + 1) begin : g_pointer
      reg               any;
      reg [INPUT_W-1:0] highest;
      reg [VC_W-1:0]    vc;
      integer k;
      always @* begin
        any = 1'b0;
        highest = {INPUT_W{1'b0}};
        vc = {VC_W{1'b0}};
        for (k = 0; k < VCS; k = k + 1) begin
          if (taken_o[o*VCS+k] && (!any || grantee[(o*VCS+k)*INPUT_W+:INPUT_W] > highest)) begin
            any = 1'b1;
            highest = grantee[(o*VCS+k)*INPUT_W+:INPUT_W];
            vc = k[VC_W-1:0];
          end
        end
      end
      always @(posedge clk_i) begin
        if (!rst_ni) vc_pointer_q[o*VC_W+:VC_W] <= {VC_W{1'b0}};
        else if (any) vc_pointer_q[o*VC_W+:VC_W] <= vc == LAST_VC[VC_W-1:0] ? {VC_W{1'b0}} : vc + 1'b1;
      end
    end
  endgenerate
endmodule
`default_nettype wire

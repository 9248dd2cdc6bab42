// Matches input ports to output ports for one flit each: separable iSLIP, one iteration. The candidate of an input at
// an output is the first of its virtual channels, from the input's pointer on, that asks for that output; every output
// grants an input, every input takes one of its grants; pointers move behind what was taken.
`default_nettype none
module switch_allocator #(
  parameter PORTS = 5,
  parameter PORT_W = 3,   // log2(PORTS), rounded up
  parameter VCS = 4,        // a power of two from 2
  parameter VC_W = 2      // log2(VCS), rounded up
) (
  input  wire                         clk_i,
  input  wire                         rst_ni,
  input  wire [PORTS*VCS-1:0]         request_i,   // of input virtual channels
  input  wire [PORTS*VCS*PORT_W-1:0]  out_port_i,
  output wire [PORTS-1:0]             granted_o,   // input ports that may send
  output wire [PORTS*VC_W-1:0]        vc_o,        // of which virtual channel
  output wire [PORTS*PORT_W-1:0]      port_o       // to which output
);
  localparam LAST_PORT = PORTS - 1;
  localparam LAST_VC = VCS - 1;
  reg [PORTS*VC_W-1:0]   vc_pointer_q;      // of inputs
  reg [PORTS*PORT_W-1:0] accept_pointer_q;  // of inputs, over outputs
  reg [PORTS*PORT_W-1:0] grant_pointer_q;   // of outputs, over inputs

  wire [PORTS*PORTS-1:0]      asks;       // [output][input]
  wire [PORTS*PORTS*VC_W-1:0] candidate;  // [input][output]
  wire [PORTS*PORTS-1:0]      grants;     // [input][output]
  wire [PORTS*PORTS-1:0]      accepts;    // [input][output]

  genvar i, o, v;
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : g_input
      for (o = 0; o < PORTS; o = o + 1) begin : g_output
        localparam [PORT_W-1:0] PORT = o;
        wire [VCS-1:0] wants, chosen;
        for (v = 0; v < VCS; v = v + 1) begin : g_vc
          assign wants[v] = request_i[i*VCS+v] && out_port_i[(i*VCS+v)*PORT_W+:PORT_W] == PORT;
        end
        round_robin #(.WIDTH(VCS), .INDEX_W(VC_W)) i_candidate (
          .request_i(wants), .pointer_i(vc_pointer_q[i*VC_W+:VC_W]), .grant_o(chosen),
          .index_o(candidate[(i*PORTS+o)*VC_W+:VC_W]), .any_o(asks[o*PORTS+i]));
        wire unused = &{1'b0, chosen};
      end
      round_robin #(.WIDTH(PORTS), .INDEX_W(PORT_W)) i_accept (
        .request_i(grants[i*PORTS+:PORTS]), .pointer_i(accept_pointer_q[i*PORT_W+:PORT_W]),
        .grant_o(accepts[i*PORTS+:PORTS]), .index_o(port_o[i*PORT_W+:PORT_W]), .any_o(granted_o[i]));
      wire [PORT_W-1:0] output_port = port_o[i*PORT_W+:PORT_W];
      wire [PORTS*VC_W-1:0] candidates = candidate[i*PORTS*VC_W+:PORTS*VC_W];
      assign vc_o[i*VC_W+:VC_W] = candidates[output_port*VC_W+:VC_W];
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          vc_pointer_q[i*VC_W+:VC_W] <= {VC_W{1'b0}};
          accept_pointer_q[i*PORT_W+:PORT_W] <= {PORT_W{1'b0}};
        end else if (granted_o[i]) begin
          vc_pointer_q[i*VC_W+:VC_W] <=
            vc_o[i*VC_W+:VC_W] == LAST_VC[VC_W-1:0] ? {VC_W{1'b0}} : vc_o[i*VC_W+:VC_W] + 1'b1;
          accept_pointer_q[i*PORT_W+:PORT_W] <=
            output_port == LAST_PORT[PORT_W-1:0] ? {PORT_W{1'b0}} : output_port + 1'b1;
        end
      end
    end
    for (o = 0; o < PORTS; o = o + 1) begin : g_grant
      wire [PORTS-1:0] to, taken;
      wire [PORT_W-1:0] input_port;
      wire any;
      round_robin #(.WIDTH(PORTS), .INDEX_W(PORT_W)) i_grant (
        .request_i(asks[o*PORTS+:PORTS]), .pointer_i(grant_pointer_q[o*PORT_W+:PORT_W]), .grant_o(to),
        .index_o(input_port), .any_o(any));
      for (i = 0; i < PORTS; i = i + 1) begin : g_input
        assign grants[i*PORTS+o] = to[i];
        assign taken[i] = accepts[i*PORTS+o];
      end
      always @(posedge clk_i) begin
        if (!rst_ni) grant_pointer_q[o*PORT_W+:PORT_W] <= {PORT_W{1'b0}};
        else if (|taken)
          grant_pointer_q[o*PORT_W+:PORT_W] <=
            input_port == LAST_PORT[PORT_W-1:0] ? {PORT_W{1'b0}} : input_port + 1'b1;
      end
      wire unused = &{1'b0, any};
    end
  endgenerate
endmodule
`default_nettype wire

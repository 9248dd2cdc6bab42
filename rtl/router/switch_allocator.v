// Matches input ports with output ports, each pair for one flit, using separable iSLIP with one iteration. For each
// output, an input nominates the first of its virtual channels, from the input's pointer on, that requests this output.
// Each output grants one input, and each input accepts one grant. A pointer moves past its choice only if the grant is
// accepted.
`default_nettype none
module switch_allocator #(
  parameter PORTS = 5,
  parameter VCS = 4,   // at least 2
  parameter GATES = 0  // 1: gates the clocks of unchanged pointers
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire [PORTS*VCS*PORTS-1:0] request_i,  // [input virtual channel][output]; at most one output each
  output wire [PORTS*VCS-1:0]       vc_o,       // [input virtual channel]: it may send a flit; at most one per input
  output wire [PORTS*PORTS-1:0]     port_o      // [input][output]: the output whose grant the input accepts
);
  /* verilator lint_off MULTIDRIVEN */  // with GATES, different bits of these registers have different clocks
  reg [PORTS*VCS-1:0]   vc_pointer_q;      // [input]: pointer over the input's virtual channels
  reg [PORTS*PORTS-1:0] accept_pointer_q;  // [input]: pointer over the outputs
  reg [PORTS*PORTS-1:0] grant_pointer_q;   // [output]: pointer over the inputs
  /* verilator lint_on MULTIDRIVEN */

  wire [PORTS*PORTS-1:0]     asks;       // [output][input]: the input has a virtual channel that requests the output
  wire [PORTS*PORTS*VCS-1:0] candidate;  // [input][output]: the virtual channel that the input nominates, one-hot
  wire [PORTS*PORTS*VCS-1:0] behind;     // [input][output]: the pointer to the virtual channel after the nominated one
  wire [PORTS*PORTS-1:0]     grants;     // [input][output]: the output grants the input

  genvar i, o, v;
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : g_input
      for (o = 0; o < PORTS; o = o + 1) begin : g_output
        wire [VCS-1:0] wants;
        for (v = 0; v < VCS; v = v + 1) begin : g_vc
          assign wants[v] = request_i[(i*VCS+v)*PORTS+o];
        end
        round_robin #(.WIDTH(VCS)) i_candidate (
          .request_i(wants), .from_i(vc_pointer_q[i*VCS+:VCS]), .grant_o(candidate[(i*PORTS+o)*VCS+:VCS]),
          .behind_o(behind[(i*PORTS+o)*VCS+:VCS]), .any_o(asks[o*PORTS+i]));
      end
      wire [PORTS-1:0] accepts = port_o[i*PORTS+:PORTS];
      wire [PORTS-1:0] accept_behind;
      wire any;
      round_robin #(.WIDTH(PORTS)) i_accept (
        .request_i(grants[i*PORTS+:PORTS]), .from_i(accept_pointer_q[i*PORTS+:PORTS]),
        .grant_o(port_o[i*PORTS+:PORTS]), .behind_o(accept_behind), .any_o(any));
      reg [VCS-1:0] vc, vc_behind;
      integer n;
      always @* begin
        vc = {VCS{1'b0}};
        vc_behind = {VCS{1'b0}};
`ifdef VERILATOR
        if (any)  // otherwise the input accepts nothing
`endif
        for (n = 0; n < PORTS; n = n + 1) begin
          vc = vc | (candidate[(i*PORTS+n)*VCS+:VCS] & {VCS{accepts[n]}});
          vc_behind = vc_behind | (behind[(i*PORTS+n)*VCS+:VCS] & {VCS{accepts[n]}});
        end
      end
      assign vc_o[i*VCS+:VCS] = vc;
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || any), .clk_o(clk));
      always @(posedge clk) begin
        if (!rst_ni) begin
          vc_pointer_q[i*VCS+:VCS] <= {VCS{1'b0}};
          accept_pointer_q[i*PORTS+:PORTS] <= {PORTS{1'b0}};
        end else if (any) begin
          vc_pointer_q[i*VCS+:VCS] <= vc_behind;
          accept_pointer_q[i*PORTS+:PORTS] <= accept_behind;
        end
      end
    end
    for (o = 0; o < PORTS; o = o + 1) begin : g_grant
      wire [PORTS-1:0] to, to_behind, taken;
      wire any;
      round_robin #(.WIDTH(PORTS)) i_grant (
        .request_i(asks[o*PORTS+:PORTS]), .from_i(grant_pointer_q[o*PORTS+:PORTS]), .grant_o(to),
        .behind_o(to_behind), .any_o(any));
      for (i = 0; i < PORTS; i = i + 1) begin : g_input
        assign grants[i*PORTS+o] = to[i];
        assign taken[i] = port_o[i*PORTS+o];
      end
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || |taken), .clk_o(clk));
      always @(posedge clk) begin
        if (!rst_ni) grant_pointer_q[o*PORTS+:PORTS] <= {PORTS{1'b0}};
        else if (|taken) grant_pointer_q[o*PORTS+:PORTS] <= to_behind;
      end
      wire unused = &{1'b0, any};
    end
  endgenerate
endmodule
`default_nettype wire

// Gives output virtual channels to packets: separable, one iteration. Every free output virtual channel grants the
// first input virtual channel from its pointer on that asks for it; every input takes, of what was granted, the first
// from its output port's pointer on, which then stands behind what the highest input took (gradient messages rotate
// over the virtual channels of a port). An output virtual channel that was given away is not free in the next cycle, in
// which its pointer moves.
`default_nettype none
module vc_allocator #(
  parameter PORTS = 5,
  parameter VCS = 4,       // from 2
  parameter INPUTS = 20,   // PORTS * VCS
  parameter INPUT_W = 5    // log2(INPUTS), rounded up
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire [INPUTS-1:0]       request_i,   // of input virtual channels
  input  wire [INPUTS*PORTS-1:0] out_port_i,  // [input virtual channel][output port], one-hot
  input  wire [INPUTS*VCS-1:0]   allowed_i,   // virtual channels that it may have
  input  wire [INPUTS-1:0]       free_i,      // output virtual channels that nobody has
  output wire [INPUTS*VCS-1:0]   vc_o,        // [input virtual channel]: the one that it has now, one-hot
  output wire [INPUTS-1:0]       taken_o      // output virtual channels that are given away now
);
  localparam LAST_INPUT = INPUTS - 1;
  reg [INPUTS*INPUT_W-1:0] grant_pointer_q;  // of output virtual channels: the input virtual channel that comes first
  reg [INPUTS*INPUT_W-1:0] grantee_q;        // of the cycle before
  reg [INPUTS-1:0]         taken_q;          // the same
  reg [INPUTS-1:0]         vc_pointer_q;     // of output ports, a mask as round_robin's

  wire [INPUTS*INPUTS-1:0]  grants;   // [output virtual channel][input virtual channel]
  wire [INPUTS*INPUT_W-1:0] grantee;  // of each output virtual channel
  wire [INPUTS-1:0]         granted;  // output virtual channels
  genvar o, i;
  generate
    for (o = 0; o < INPUTS; o = o + 1) begin : g_output
      localparam PORT = o / VCS;
      localparam VC = o % VCS;
      wire [INPUT_W-1:0] pointer = grant_pointer_q[o*INPUT_W+:INPUT_W];
      wire [INPUT_W-1:0] last = grantee_q[o*INPUT_W+:INPUT_W];
      wire [INPUTS-1:0] asks, first, behind;
      wire any;
      for (i = 0; i < INPUTS; i = i + 1) begin : g_input
        assign asks[i] = request_i[i] && out_port_i[i*PORTS+PORT] && allowed_i[i*VCS+VC];
      end
      round_robin #(.WIDTH(INPUTS)) i_grant (
        .request_i(asks), .from_i({INPUTS{1'b1}} << pointer), .grant_o(first), .behind_o(behind), .any_o(any));
      assign grants[o*INPUTS+:INPUTS] = first & {INPUTS{free_i[o]}};
      assign granted[o] = any && free_i[o];
      reg [INPUT_W-1:0] index;
      integer n;
      always @* begin
        index = {INPUT_W{1'b0}};
        for (n = 0; n < INPUTS; n = n + 1) if (first[n]) index = index | n[INPUT_W-1:0];
      end
      assign grantee[o*INPUT_W+:INPUT_W] = index;
      always @(posedge clk_i) begin
        taken_q[o] <= rst_ni && taken_o[o];
        grantee_q[o*INPUT_W+:INPUT_W] <= index;
        if (!rst_ni) grant_pointer_q[o*INPUT_W+:INPUT_W] <= {INPUT_W{1'b0}};
        else if (taken_q[o])
          grant_pointer_q[o*INPUT_W+:INPUT_W] <= last == LAST_INPUT[INPUT_W-1:0] ? {INPUT_W{1'b0}} : last + 1'b1;
      end
      wire unused = &{1'b0, behind};
    end
    for (i = 0; i < INPUTS; i = i + 1) begin : g_accept
      reg [VCS-1:0] mine, from;  // who grants it something is at its output port
      integer n;
      always @* begin
        mine = {VCS{1'b0}};
        from = {VCS{1'b0}};
        for (n = 0; n < INPUTS; n = n + 1) mine[n%VCS] = mine[n%VCS] || grants[n*INPUTS+i];
        for (n = 0; n < PORTS; n = n + 1) from = from | (vc_pointer_q[n*VCS+:VCS] & {VCS{out_port_i[i*PORTS+n]}});
      end
      wire [VCS-1:0] behind;
      wire any;
      round_robin #(.WIDTH(VCS)) i_accept (
        .request_i(mine), .from_i(from), .grant_o(vc_o[i*VCS+:VCS]), .behind_o(behind), .any_o(any));
      wire unused = &{1'b0, behind, any};
    end
    // What is granted is taken, but for who is granted something earlier from the pointer on too. The pointer stands behind
    // what the highest input took.
    for (o = 0; o < PORTS; o = o + 1) begin : g_pointer
      wire [VCS-1:0] from = vc_pointer_q[o*VCS+:VCS];
      wire [VCS-1:0] may = granted[o*VCS+:VCS];
      reg  [VCS-1:0] taken, highest, behind;
      integer k, n;
      always @* begin
        taken = may;
        for (k = 0; k < VCS; k = k + 1) begin
          for (n = 0; n < VCS; n = n + 1) begin
            if (n != k && (from[n] != from[k] ? from[n] : n < k) && may[n] &&
                grantee[(o*VCS+n)*INPUT_W+:INPUT_W] == grantee[(o*VCS+k)*INPUT_W+:INPUT_W]) taken[k] = 1'b0;
          end
        end
        highest = taken;
        behind = {VCS{1'b0}};
        for (k = 0; k < VCS; k = k + 1) begin
          for (n = 0; n < VCS; n = n + 1) begin
            if (taken[n] && grantee[(o*VCS+n)*INPUT_W+:INPUT_W] > grantee[(o*VCS+k)*INPUT_W+:INPUT_W]) highest[k] = 1'b0;
          end
        end
        for (k = 1; k < VCS; k = k + 1) behind[k] = behind[k-1] || highest[k-1];
      end
      assign taken_o[o*VCS+:VCS] = taken;
      always @(posedge clk_i) begin
        if (!rst_ni) vc_pointer_q[o*VCS+:VCS] <= {VCS{1'b0}};
        else if (|taken) vc_pointer_q[o*VCS+:VCS] <= behind;
      end
    end
  endgenerate
endmodule
`default_nettype wire

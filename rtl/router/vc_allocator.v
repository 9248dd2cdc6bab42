// Allocates output virtual channels to packets, in one separable iteration. Each free output virtual channel grants the
// first input virtual channel, at or after its pointer, that requests it. An input virtual channel with several grants
// accepts the first one at or after the pointer of its output port. This pointer then moves past the output virtual
// channel accepted by the input virtual channel with the highest number, so that gradient messages use the virtual
// channels of a port in rotation. Pointers move one cycle after an allocation, when the allocated output virtual
// channel is no longer free.
`default_nettype none
module vc_allocator #(
  parameter PORTS = 5,
  parameter VCS = 4,       // a power of two, at least 2
  parameter INPUTS = 20,   // PORTS * VCS
  parameter INPUT_W = 5,   // log2(INPUTS), rounded up
  parameter GATES = 0      // 1: gates the clocks of idle parts
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire [INPUTS-1:0]       request_i,   // [input virtual channel]
  input  wire [INPUTS*PORTS-1:0] out_port_i,  // [input virtual channel][output port], one-hot
  input  wire [INPUTS*VCS-1:0]   allowed_i,  // [input virtual channel]: output virtual channels that its packet may use
  input  wire [INPUTS-1:0]       free_i,      // [output virtual channel]: it is not allocated
  output wire [INPUTS*VCS-1:0]   vc_o,        // [input virtual channel]: its allocated output virtual channel, one-hot
  output wire [INPUTS-1:0]       taken_o      // [output virtual channel]: it is allocated in this cycle
);
  localparam VC_W = $clog2(VCS);
  // The rotation pointers of each output virtual channel: an input port, and a virtual channel of this port. Both are
  // masks as in round_robin; the last virtual channel is always in its mask, so its bit is not stored.
  /* verilator lint_off MULTIDRIVEN */  // with GATES, different bits of these registers have different clocks
  reg [INPUTS*PORTS-1:0]   port_pointer_q;
  reg [INPUTS*(VCS-1)-1:0] grant_pointer_q;
  reg [INPUTS*INPUT_W-1:0] grantee_q;  // [output virtual channel]: input virtual channel granted in the previous cycle
  reg [INPUTS-1:0]         taken_q;       // [output virtual channel]: it was allocated in the previous cycle
  reg [INPUTS-1:0]         vc_pointer_q;  // [output port]: mask before the update for the previous cycle's grants
  /* verilator lint_on MULTIDRIVEN */
  wire [INPUTS-1:0]        vc_pointer;    // [output port]: mask after the update

  wire [INPUTS*INPUTS-1:0]  grants;   // [output virtual channel][input virtual channel]
  wire [INPUTS*PORTS*VC_W-1:0] numbers;  // [output virtual channel][input port]: first requesting virtual channel
  wire [INPUTS*PORTS-1:0]   ports;    // [output virtual channel]: the first requesting input port, one-hot
  wire [INPUTS-1:0]         granted;  // [output virtual channel]: it grants a request
  wire [INPUTS-1:0]         asked;    // [output virtual channel]: it is requested, whether or not it is free
  genvar o, i;
  generate
    for (o = 0; o < INPUTS; o = o + 1) begin : g_output
      localparam PORT = o / VCS;
      localparam VC = o % VCS;
      wire [PORTS-1:0]   from_port = port_pointer_q[o*PORTS+:PORTS];
      wire [VCS-1:0]     from = {1'b1, grant_pointer_q[o*(VCS-1)+:VCS-1]};
      wire [INPUT_W-1:0] last = grantee_q[o*INPUT_W+:INPUT_W];
      wire [VC_W-1:0]    next = last[VC_W-1:0] + 1'b1;
      wire [INPUTS-1:0]  first;
      wire [PORTS-1:0]   any, any_from, port, behind;
      wire               granted_any;
      // To shorten the path, each input port's virtual channel is selected while the port is being selected.
      for (i = 0; i < PORTS; i = i + 1) begin : g_input
        reg [VCS-1:0] asks, mine, lowest;
        reg [VC_W-1:0] number;
        reg is_from;  // a request of this port is at or after the pointer in the rotation
        wire is_pointers;
        if (i == 0) begin : g_first
          assign is_pointers = from_port[i];
        end else begin : g_later
          assign is_pointers = from_port[i] && !from_port[i-1];
        end
        integer m;
        always @* begin
          asks = {VCS{1'b0}};
          mine = {VCS{1'b0}};
          lowest = {VCS{1'b0}};
          number = {VC_W{1'b0}};
          is_from = 1'b0;
`ifdef VERILATOR
          if (|request_i)  // lets simulators skip this logic in the many cycles without requests
`endif
          begin
            for (m = 0; m < VCS; m = m + 1)
              asks[m] = request_i[i*VCS+m] && out_port_i[(i*VCS+m)*PORTS+PORT] && allowed_i[(i*VCS+m)*VCS+VC];
            mine = is_pointers && (asks & from) != {VCS{1'b0}} ? asks & from : asks;
            lowest = mine & (~mine + 1'b1);
            for (m = 0; m < VCS; m = m + 1) if (lowest[m]) number = number | m[VC_W-1:0];
            is_from = from_port[i] && (!is_pointers || |(asks & from));
          end
        end
        assign any[i] = |asks;
        assign any_from[i] = is_from;
        assign first[i*VCS+:VCS] = lowest & {VCS{port[i]}};
        assign numbers[(o*PORTS+i)*VC_W+:VC_W] = number;
      end
      round_robin #(.WIDTH(PORTS)) i_grant (
        .request_i(any), .from_i(any_from), .grant_o(port), .behind_o(behind), .any_o(granted_any));
      assign ports[o*PORTS+:PORTS] = port;
      assign grants[o*INPUTS+:INPUTS] = first & {INPUTS{free_i[o]}};
      assign granted[o] = granted_any && free_i[o];
      assign asked[o] = granted_any;
      reg [INPUT_W-1:0] index;
      integer n;
      always @* begin
        index = {INPUT_W{1'b0}};
`ifdef VERILATOR
        if (granted_any)
`endif
        for (n = 0; n < PORTS; n = n + 1)
          if (port[n]) index = index | n[INPUT_W-1:0] << VC_W | {{(INPUT_W-VC_W){1'b0}}, numbers[(o*PORTS+n)*VC_W+:VC_W]};
      end
      always @(posedge g_pointer[PORT].taken_clk) begin
        taken_q[o] <= rst_ni && taken_o[o];
        grantee_q[o*INPUT_W+:INPUT_W] <= index;
      end
      always @(posedge g_pointer[PORT].pointer_clk) begin
        for (n = 0; n < PORTS; n = n + 1) begin
          if (!rst_ni) port_pointer_q[o*PORTS+n] <= 1'b0;
          else if (taken_q[o]) port_pointer_q[o*PORTS+n] <= {{(32-INPUT_W){1'b0}}, last} + 1 < (n + 1) * VCS;
        end
        for (n = 0; n < VCS - 1; n = n + 1)
          if (taken_q[o]) grant_pointer_q[o*(VCS-1)+n] <= {{(32-VC_W){1'b0}}, next} <= n;
      end
      wire unused = &{1'b0, behind};
    end
    for (i = 0; i < INPUTS; i = i + 1) begin : g_accept
      reg [VCS-1:0] mine, from;  // virtual channels that grant this input; their pointer
      integer n;
      always @* begin
        mine = {VCS{1'b0}};
        from = {VCS{1'b0}};
`ifdef VERILATOR
        if (request_i[i])  // otherwise there is no grant
`endif
        begin
          for (n = 0; n < INPUTS; n = n + 1) mine[n%VCS] = mine[n%VCS] || grants[n*INPUTS+i];
          for (n = 0; n < PORTS; n = n + 1) from = from | (vc_pointer[n*VCS+:VCS] & {VCS{out_port_i[i*PORTS+n]}});
        end
      end
      wire [VCS-1:0] behind;
      wire any;
      round_robin #(.WIDTH(VCS)) i_accept (
        .request_i(mine), .from_i(from), .grant_o(vc_o[i*VCS+:VCS]), .behind_o(behind), .any_o(any));
      wire unused = &{1'b0, behind, any};
    end
    // Computes which grants are accepted. A grant is accepted unless the same input virtual channel is also granted
    // another output virtual channel that comes earlier, counted from the pointer. The pointer is the position after
    // the output virtual channel that the input virtual channel with the highest number accepted in the previous cycle.
    for (o = 0; o < PORTS; o = o + 1) begin : g_pointer
      wire [VCS-1:0] from = vc_pointer[o*VCS+:VCS];
      wire [VCS-1:0] may = granted[o*VCS+:VCS];
      reg  [VCS-1:0] taken, highest, behind;
      reg  [PORTS-1:0] same;  // [input port]: both grants select the same virtual channel of the port
      integer k, n, m;
      always @* begin
        taken = may;
        same = {PORTS{1'bx}};
`ifdef VERILATOR
        if (|may)  // otherwise there is no grant
`endif
        for (k = 0; k < VCS; k = k + 1) begin
          for (n = 0; n < VCS; n = n + 1) begin
            for (m = 0; m < PORTS; m = m + 1)
              same[m] = numbers[((o*VCS+n)*PORTS+m)*VC_W+:VC_W] == numbers[((o*VCS+k)*PORTS+m)*VC_W+:VC_W];
            if (n != k && (from[n] != from[k] ? from[n] : n < k) && may[n] &&
                |(same & ports[(o*VCS+n)*PORTS+:PORTS] & ports[(o*VCS+k)*PORTS+:PORTS])) taken[k] = 1'b0;
          end
        end
      end
      assign taken_o[o*VCS+:VCS] = taken;
      always @* begin
        highest = taken_q[o*VCS+:VCS];
        behind = {VCS{1'b0}};
        for (k = 0; k < VCS; k = k + 1) begin
          for (n = 0; n < VCS; n = n + 1) begin
            if (taken_q[o*VCS+n] && grantee_q[(o*VCS+n)*INPUT_W+:INPUT_W] > grantee_q[(o*VCS+k)*INPUT_W+:INPUT_W])
              highest[k] = 1'b0;
          end
        end
        for (k = 1; k < VCS; k = k + 1) behind[k] = behind[k-1] || highest[k-1];
      end
      assign vc_pointer[o*VCS+:VCS] = |taken_q[o*VCS+:VCS] ? behind : vc_pointer_q[o*VCS+:VCS];
      wire taken_clk, pointer_clk;
      // grantee_q returns to 0 in the cycle after the last request, so its clock must run until then.
      clock_gate #(.GATES(GATES)) i_taken_gate (
        .clk_i(clk_i), .enable_i(!rst_ni || |asked[o*VCS+:VCS] || |taken_q[o*VCS+:VCS] || |grantee_q[o*VCS*INPUT_W+:VCS*INPUT_W]),
        .clk_o(taken_clk));
      clock_gate #(.GATES(GATES)) i_pointer_gate (
        .clk_i(clk_i), .enable_i(!rst_ni || |taken_q[o*VCS+:VCS]), .clk_o(pointer_clk));
      always @(posedge pointer_clk) vc_pointer_q[o*VCS+:VCS] <= vc_pointer[o*VCS+:VCS] & {VCS{rst_ni}};
    end
  endgenerate
endmodule
`default_nettype wire

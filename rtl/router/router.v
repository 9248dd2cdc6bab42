// An input-queued virtual-channel wormhole router with credit flow control and source routing. It behaves like
// fabric::Router with routing and allocation delays of 1, for gradient messages on channels of one flit per cycle.
//
// A head flit that arrives in cycle t requests an output virtual channel from t + 1 on. If it is granted one in cycle
// c, the packet requests the switch from c + 1 on. A flit that wins the switch leaves its buffer in the same cycle and
// crosses to the output in the next one, which is the first cycle of the channel; the rest of the channel is outside
// this module. If another head is waiting in the buffer when a tail leaves, it requests an output virtual channel two
// cycles later. An output virtual channel becomes free in the cycle after its tail has won the switch. Flits and
// credits are counted in the cycle in which they arrive.
//
// The lowest HOP_W bits of the route in a head flit belong to this router: output port, and first and last permitted
// virtual channel. The route is shifted right by HOP_W bits as the head leaves.
`default_nettype none
module router #(
  parameter PORTS = 5,
  parameter PORT_W = 3,     // log2(PORTS), rounded up
  parameter VCS = 4,        // a power of two, at least 2
  parameter VC_W = 2,       // log2(VCS), rounded up
  parameter FLIT_W = 128,   // flit width
  parameter DEPTH = 16,     // flits per virtual-channel buffer, a power of two
  parameter DEPTH_W = 4,    // log2(DEPTH)
  parameter CREDIT_W = 5,   // width of a credit count
  parameter INPUT_W = 5,    // log2(PORTS * VCS), rounded up
  parameter ROUTE_AT = 81,  // first bit of the route in a head flit
  parameter ROUTE_W = 42,   // width of a route
  parameter HOP_PORT_W = 3, // width of a hop's output port, at least PORT_W
  parameter GATES = 0       // 1: gates the clocks of idle parts
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  // [output]: buffer slots per virtual channel at the other end of the output's link; sampled during reset.
  input  wire [PORTS*CREDIT_W-1:0] credits_i,
  input  wire [PORTS*VCS-1:0]    flit_valid_i,  // [port][virtual channel]: a flit arrives; at most one per port
  input  wire [PORTS-1:0]        flit_head_i,
  input  wire [PORTS-1:0]        flit_tail_i,
  input  wire [PORTS*FLIT_W-1:0] flit_i,
  output wire [PORTS*VCS-1:0]    credit_o,      // [input virtual channel]: a slot has become free
  output wire [PORTS-1:0]        flit_valid_o,
  output wire [PORTS*VC_W-1:0]   flit_vc_o,
  output wire [PORTS-1:0]        flit_head_o,
  output wire [PORTS-1:0]        flit_tail_o,
  output wire [PORTS*FLIT_W-1:0] flit_o,
  input  wire [PORTS*VCS-1:0]    credit_i       // [output virtual channel]: the neighbour has freed a slot
);
  localparam INPUTS = PORTS * VCS;
  localparam HOP_W = HOP_PORT_W + 2 * VC_W;
  localparam WORD_W = FLIT_W + 2;
  // In the encoding of the states, each request is a single state bit.
  localparam [2:0] IDLE = 3'b000, ROUTE = 3'b001, ASK_VC = 3'b010, SEND = 3'b100;

  /* verilator lint_off MULTIDRIVEN */  // with GATES, different bits of these registers have different clocks
  reg [INPUTS*3-1:0]        state_q;     // [input virtual channel]
  reg [INPUTS*PORTS-1:0]    out_port_q;  // [input virtual channel]: output port of its packet, one-hot
  reg [INPUTS*VCS-1:0]      allowed_q;   // [input virtual channel]: output virtual channels that its packet may use
  reg [INPUTS*VCS-1:0]      out_vc_q;    // [input virtual channel]: its allocated output virtual channel, one-hot
  reg [INPUTS-1:0]          busy_q;      // [output virtual channel]: it is allocated to a packet
  reg [INPUTS*CREDIT_W-1:0] credits_q;  // [output virtual channel]: credits, including one for the flit in the crossbar
  // [input virtual channel]: its output virtual channel has a credit besides the one for the flit in the crossbar.
  reg [INPUTS-1:0]          place_q;
  reg [INPUTS-1:0]          sent_q;      // [input virtual channel]: it won the switch in the previous cycle
  /* verilator lint_on MULTIDRIVEN */

  wire [INPUTS*WORD_W-1:0]  front;       // used for the route and tail bit only; last provides all bits a cycle later
  wire [INPUTS*WORD_W-1:0]  last;        // the flit that left each buffer in the previous cycle
  wire [INPUTS-1:0]         front_valid, more, asks_vc, tail_goes;
  wire [INPUTS*PORTS-1:0]   asks_switch;
  wire [INPUTS*VCS-1:0]     new_vc;
  wire [INPUTS-1:0]         granted;     // [input virtual channel]: its flit wins the switch
  wire [PORTS*PORTS-1:0]    granted_port;
  wire [INPUTS-1:0]         taken;       // [output virtual channel]: it is allocated in this cycle
  wire [INPUTS-1:0]         gone;        // [output virtual channel]: its tail is in the crossbar
  wire [INPUTS-1:0]         used;        // [output virtual channel]: one of its flits is in the crossbar
  // [output virtual channel]: in the next cycle, it has at least one credit; at least two.
  wire [INPUTS-1:0]         some, two;
  wire [PORTS-1:0]          busy;        // [input]: it holds a packet or part of one

  assign credit_o = granted;

  genvar p, v, k;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      assign busy[p] = |{state_q[p*VCS*3+:VCS*3], place_q[p*VCS+:VCS], sent_q[p*VCS+:VCS]};
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || |flit_valid_i[p*VCS+:VCS] || busy[p]), .clk_o(clk));
      for (v = 0; v < VCS; v = v + 1) begin : g_vc
        localparam ID = p * VCS + v;
        wire comes = flit_valid_i[ID];
        wire [WORD_W-1:0] incoming = {flit_head_i[p], flit_tail_i[p], flit_i[p*FLIT_W+:FLIT_W]};
        vc_buffer #(.WIDTH(WORD_W), .DEPTH(DEPTH), .ADDR_W(DEPTH_W), .GATES(GATES)) i_buffer (
          .clk_i(clk), .rst_ni(rst_ni), .push_i(comes), .data_i(incoming), .pop_i(granted[ID]),
          .data_o(front[ID*WORD_W+:WORD_W]), .last_o(last[ID*WORD_W+:WORD_W]), .valid_o(front_valid[ID]), .more_o(more[ID]));

        wire routes, asks, sending;  // the bits of the state; all are 0 in IDLE
        assign {sending, asks, routes} = state_q[ID*3+:3];
        wire idle = state_q[ID*3+:3] == IDLE;
        wire [HOP_W-1:0] hop = front[ID*WORD_W+ROUTE_AT+:HOP_W];
        wire [VC_W-1:0] first_vc = hop[HOP_PORT_W+:VC_W];
        wire [VC_W-1:0] last_vc = hop[HOP_PORT_W+VC_W+:VC_W];
        wire [VCS-1:0] from_first = {VCS{1'b1}} << first_vc;
        wire [VCS-1:0] to_last = ~({VCS{1'b1}} << last_vc << 1);
        wire unused = &{1'b0, hop};  // the port field of a hop may be wider than a port number
        wire has_vc = |new_vc[ID*VCS+:VCS];
        wire sends = sending && front_valid[ID];
        assign asks_vc[ID] = asks;
        assign tail_goes[ID] = granted[ID] && front[ID*WORD_W+FLIT_W];

        // A head's route is read when the head arrives or, if it waited behind another packet, one cycle after that
        // packet's tail left.
        wire reads = (idle && comes) || routes;
        wire route_clk, state_clk;
        clock_gate #(.GATES(GATES)) i_route_gate (.clk_i(clk), .enable_i(reads), .clk_o(route_clk));
        clock_gate #(.GATES(GATES)) i_state_gate (
          .clk_i(clk), .enable_i(!rst_ni || comes || !idle || place_q[ID]), .clk_o(state_clk));
        for (k = 0; k < VCS; k = k + 1) begin : g_allowed
          always @(posedge route_clk) if (reads || GATES != 0) allowed_q[ID*VCS+k] <= from_first[k] && to_last[k];
        end
        for (k = 0; k < PORTS; k = k + 1) begin : g_out_port
          localparam [PORT_W-1:0] PORT = k;
          always @(posedge route_clk) if (reads || GATES != 0) out_port_q[ID*PORTS+k] <= hop[PORT_W-1:0] == PORT;
          assign asks_switch[ID*PORTS+k] =
            sends && out_port_q[ID*PORTS+k] && (place_q[ID] || |(out_vc_q[ID*VCS+:VCS] & credit_i[k*VCS+:VCS]));
        end
        // Looks up the credits of the allocated output virtual channel for the next cycle.
        wire [VCS-1:0] keeps = new_vc[ID*VCS+:VCS] | (out_vc_q[ID*VCS+:VCS] & {VCS{sending}});
        reg  [VCS-1:0] some_there, two_there;  // output virtual channels with at least one credit; at least two
        integer n;
        always @* begin
          some_there = {VCS{1'b0}};
          two_there = {VCS{1'b0}};
`ifdef VERILATOR
          if (|keeps)  // lets simulators skip this logic if there is no traffic
`endif
          for (n = 0; n < PORTS; n = n + 1) begin
            some_there = some_there | (some[n*VCS+:VCS] & {VCS{out_port_q[ID*PORTS+n]}});
            two_there = two_there | (two[n*VCS+:VCS] & {VCS{out_port_q[ID*PORTS+n]}});
          end
        end
        always @(posedge state_clk) begin
          place_q[ID] <= |(keeps & two_there) || (|(keeps & some_there) && !granted[ID]);
          if (has_vc) out_vc_q[ID*VCS+:VCS] <= new_vc[ID*VCS+:VCS];
          if (!rst_ni) state_q[ID*3+:3] <= IDLE;
          else if (reads) state_q[ID*3+:3] <= ASK_VC;
          else if (has_vc) state_q[ID*3+:3] <= SEND;
          else if (tail_goes[ID]) state_q[ID*3+:3] <= more[ID] ? ROUTE : IDLE;
        end
      end
    end
    for (k = 0; k < PORTS; k = k + 1) begin : g_output_clock
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (
        .clk_i(clk_i), .enable_i(!rst_ni || |{credit_i[k*VCS+:VCS], used[k*VCS+:VCS], taken[k*VCS+:VCS]}), .clk_o(clk));
    end
    for (k = 0; k < INPUTS; k = k + 1) begin : g_output
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (
        .clk_i(g_output_clock[k/VCS].clk), .enable_i(!rst_ni || credit_i[k] != used[k] || taken[k] || gone[k]), .clk_o(clk));
      reg [CREDIT_W-1:0] credits;
      always @* begin
        credits = credits_q[k*CREDIT_W+:CREDIT_W];
        if (!rst_ni) credits = credits_i[(k/VCS)*CREDIT_W+:CREDIT_W];
        else if (credit_i[k] && !used[k]) credits = credits + 1'b1;
        else if (used[k] && !credit_i[k]) credits = credits - 1'b1;
      end
      assign some[k] = credits != {CREDIT_W{1'b0}};
      assign two[k] = credits > {{(CREDIT_W-1){1'b0}}, 1'b1};
      always @(posedge clk) begin
        credits_q[k*CREDIT_W+:CREDIT_W] <= credits;
        if (!rst_ni) busy_q[k] <= 1'b0;
        else if (taken[k]) busy_q[k] <= 1'b1;
        else if (gone[k]) busy_q[k] <= 1'b0;
      end
    end
  endgenerate

  wire allocator_clk;
  clock_gate #(.GATES(GATES)) i_allocator_gate (.clk_i(clk_i), .enable_i(!rst_ni || |busy), .clk_o(allocator_clk));
  vc_allocator #(.PORTS(PORTS), .VCS(VCS), .INPUTS(INPUTS), .INPUT_W(INPUT_W), .GATES(GATES)) i_vc_allocator (
    .clk_i(allocator_clk), .rst_ni(rst_ni), .request_i(asks_vc), .out_port_i(out_port_q), .allowed_i(allowed_q),
    .free_i(~busy_q | gone), .vc_o(new_vc), .taken_o(taken));
  switch_allocator #(.PORTS(PORTS), .VCS(VCS), .GATES(GATES)) i_switch_allocator (
    .clk_i(allocator_clk), .rst_ni(rst_ni), .request_i(asks_switch), .vc_o(granted), .port_o(granted_port));

  // The crossbar, one cycle after the switch allocator. Each input selects the flit of the virtual channel that won,
  // and each output then selects the flit of the input that won it.
  /* verilator lint_off MULTIDRIVEN */
  reg [PORTS-1:0]        chosen_tail_q;
  reg [PORTS*VCS-1:0]    chosen_vc_q;
  reg [PORTS*PORTS-1:0]  won_q;
  /* verilator lint_on MULTIDRIVEN */
  wire [PORTS*WORD_W-1:0] chosen;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_input
      reg [WORD_W-1:0] word;
      reg [VCS-1:0]    vc;
      integer n;
      always @* begin
        word = {WORD_W{1'b0}};
        vc = {VCS{1'b0}};
        for (n = 0; n < VCS; n = n + 1) vc = vc | (out_vc_q[(p*VCS+n)*VCS+:VCS] & {VCS{granted[p*VCS+n]}});
`ifdef VERILATOR
        if (|sent_q[p*VCS+:VCS])  // otherwise no flit is selected
`endif
        for (n = 0; n < VCS; n = n + 1)
          word = word | (last[(p*VCS+n)*WORD_W+:WORD_W] & {WORD_W{sent_q[p*VCS+n]}});
      end
      assign chosen[p*WORD_W+:WORD_W] = word;
      wire clk;
      clock_gate #(.GATES(GATES)) i_gate (
        .clk_i(g_port[p].clk), .enable_i(!rst_ni || |granted[p*VCS+:VCS] || |sent_q[p*VCS+:VCS]), .clk_o(clk));
      always @(posedge clk) begin
        sent_q[p*VCS+:VCS] <= granted[p*VCS+:VCS] & {VCS{rst_ni}};
        won_q[p*PORTS+:PORTS] <= granted_port[p*PORTS+:PORTS] & {PORTS{rst_ni}};
        chosen_tail_q[p] <= |tail_goes[p*VCS+:VCS];
        chosen_vc_q[p*VCS+:VCS] <= vc;
      end
    end
    for (p = 0; p < PORTS; p = p + 1) begin : g_crossbar
      wire [PORTS-1:0] from;
      for (v = 0; v < PORTS; v = v + 1) begin : g_from
        assign from[v] = won_q[v*PORTS+p];
      end
      reg [WORD_W-1:0] word;
      reg [VCS-1:0]    vc;
      reg [VC_W-1:0]   vc_number;
      reg              tail;  // tail bit of the word, available early from a register
      integer n;
      always @* begin
        word = {WORD_W{1'b0}};
        tail = 1'b0;
        vc = {VCS{1'b0}};
        vc_number = {VC_W{1'b0}};
`ifdef VERILATOR
        if (|from)  // otherwise there is no flit
`endif
        for (n = 0; n < PORTS; n = n + 1) begin
          word = word | (chosen[n*WORD_W+:WORD_W] & {WORD_W{from[n]}});
          tail = tail || (chosen_tail_q[n] && from[n]);
          vc = vc | (chosen_vc_q[n*VCS+:VCS] & {VCS{from[n]}});
        end
        if (word[WORD_W-1]) word[ROUTE_AT+:ROUTE_W] = word[ROUTE_AT+:ROUTE_W] >> HOP_W;
        for (n = 0; n < VCS; n = n + 1) if (vc[n]) vc_number = vc_number | n[VC_W-1:0];
      end
      assign flit_valid_o[p] = |from;
      assign flit_vc_o[p*VC_W+:VC_W] = vc_number;
      assign flit_head_o[p] = word[WORD_W-1];
      assign flit_tail_o[p] = word[WORD_W-2];
      assign flit_o[p*FLIT_W+:FLIT_W] = word[FLIT_W-1:0];
      assign used[p*VCS+:VCS] = vc;
      assign gone[p*VCS+:VCS] = vc & {VCS{tail}};
    end
  endgenerate
endmodule
`default_nettype wire

// Receives the flits of a port's ejection channel, one per cycle, and tracks packets and messages. In the cycle in
// which data arrives, it is forwarded to the reduction unit together with its address; padding is dropped. The packets
// of different virtual channels may interleave, but those of one virtual channel may not. A message has arrived once
// all its packets have, in any order. A message of several packets occupies one of PENDING slots; overflow_o, sticky
// until reset, is set if more than PENDING such messages are incomplete at once. A message is identified by its tag,
// flow and operation. This is unambiguous because a sequence number is reused only after all packets of the message
// that last used it have been delivered. A message's slot is looked up when a packet's head arrives and is then kept up
// to date, so no search is needed at the tail.
//
// Limit: each packet has at least one flit after its head.
`include "../ni/coppice_layout.vh"
`default_nettype none
module depacketizer #(
  parameter FLIT_W = 128,    // flit width
  parameter LANES = 4,       // words per flit
  parameter VCS = 4,         // virtual channels
  parameter FLOW_W = 10,     // width of a flow number
  parameter ADDR_W = 24,     // width of a word address
  parameter LEN_W = 20,      // width of a length in words
  parameter PACKETS_W = 14,  // width of a packet count
  parameter TAG_W = 12,      // width of a message's tag: source port and sequence number
  parameter PENDING = 8,     // slots for incomplete messages
  parameter GATES = 0        // 1: gates the clocks of idle parts
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire [VCS-1:0]    valid_i,           // a flit arrives; one-hot by virtual channel
  input  wire              head_i,
  input  wire              tail_i,
  input  wire [FLIT_W-1:0] flit_i,
  output wire              data_valid_o,
  output wire              data_add_o,       // 1: add, 0: store
  output wire [ADDR_W-1:0] data_address_o,
  output wire [LANES-1:0]  data_lanes_o,     // lanes that contain a word
  output wire [VCS-1:0]    data_vc_o,        // one-hot
  output wire [VCS*ADDR_W-1:0] vc_address_o,  // for each virtual channel, the address of its packet's next flit
  output wire [VCS*LANES-1:0]  vc_lanes_o,
  output wire [FLIT_W-1:0] data_o,
  output wire              arrived_o,        // the last tail of a message arrived
  output wire              arrived_add_o,
  output wire              arrived_store_o,  // like arrived_o, but only for messages that are stored, not added
  output wire [FLOW_W-1:0] arrived_flow_o,
  output wire              overflow_o
);
  localparam NAME_W = TAG_W + FLOW_W + 1;
  localparam FLOW_AT = `COPPICE_HEAD_FLOW_AT;
  localparam ADDR_AT = `COPPICE_HEAD_ADDR_AT;
  localparam WORDS_AT = `COPPICE_HEAD_WORDS_AT;
  localparam TAG_AT = `COPPICE_HEAD_TAG_AT;
  localparam PACKETS_AT = `COPPICE_HEAD_PACKETS_AT;
  localparam LANE_W = $clog2(LANES);
  localparam [ADDR_W-1:0] ADDR_STEP = LANES[ADDR_W-1:0];
  localparam [PACKETS_W-1:0] ONE = 1;

  localparam NUMBER_W = LEN_W - LANE_W;  // width of a number of full flits
  localparam [NUMBER_W-1:0] ONE_FLIT = 1;
  localparam [PACKETS_W-1:0] TWO = 2;

  // The packet that is being received on each virtual channel.
  wire [NAME_W-1:0]   name_in = {flit_i[TAG_AT+:TAG_W], flit_i[FLOW_AT+:FLOW_W], flit_i[0]};
  wire [LEN_W-1:0]    words_in = flit_i[WORDS_AT+:LEN_W];
  wire [PACKETS_W-1:0] packets_in = flit_i[PACKETS_AT+:PACKETS_W];
  /* verilator lint_off MULTIDRIVEN */  // with GATES, different bits of these registers have different clocks
  reg [VCS*NAME_W-1:0]    name_q;
  reg [VCS*ADDR_W-1:0]    address_q;
  reg [VCS*LEN_W-1:0]     words_q;    // data words of the packet that have not arrived yet
  reg [VCS-1:0]           some_q, full_q;  // some_q: data words are missing; full_q: enough to fill a flit
  reg [VCS*PACKETS_W-1:0] others_q;   // number of packets in the message besides this one
  reg [VCS-1:0]           single_q, two_q;  // the message has exactly one packet; exactly two packets
  /* verilator lint_on MULTIDRIVEN */
  reg [VCS*VCS-1:0]       same_q;     // pairs of virtual channels that are receiving packets of the same message
  reg [VCS*PENDING-1:0]   match_q;    // slot of the packet's message, one-hot

  // Slots for messages that have arrived only in part.
  reg [PENDING-1:0]   pending_q;
  reg [PENDING-1:0]   last_q;     // exactly one packet is missing
  reg [PENDING*NAME_W-1:0]    message_q;
  reg [PENDING*PACKETS_W-1:0] missing_q;
  reg                 overflow_q;

  // State of the virtual channel on which the incoming flit arrives.
  wire valid = |valid_i;
  wire [VCS-1:0] equal, completes, stores;  // completes: the packet is the only one that its message still lacks
  reg [NAME_W-1:0]    name;
  reg [ADDR_W-1:0]    address;
  reg [LANES-1:0]     lanes;
  reg [LEN_W-1:0]     words;
  reg [PACKETS_W-1:0] others;
  reg [PENDING-1:0]   match;
  reg [VCS-1:0]       same;
  integer i;
  always @* begin
    name = {NAME_W{1'b0}};
    address = {ADDR_W{1'b0}};
    lanes = {LANES{1'b0}};
    words = {LEN_W{1'b0}};
    others = {PACKETS_W{1'b0}};
    match = {PENDING{1'b0}};
    same = {VCS{1'b0}};
`ifdef VERILATOR
    if (valid)  // the result is unused otherwise
`endif
    for (i = 0; i < VCS; i = i + 1) begin
      name = name | (name_q[i*NAME_W+:NAME_W] & {NAME_W{valid_i[i]}});
      address = address | (address_q[i*ADDR_W+:ADDR_W] & {ADDR_W{valid_i[i]}});
      lanes = lanes | (vc_lanes_o[i*LANES+:LANES] & {LANES{valid_i[i]}});
      words = words | (words_q[i*LEN_W+:LEN_W] & {LEN_W{valid_i[i]}});
      others = others | (others_q[i*PACKETS_W+:PACKETS_W] & {PACKETS_W{valid_i[i]}});
      match = match | (match_q[i*PENDING+:PENDING] & {PENDING{valid_i[i]}});
      same = same | (same_q[i*VCS+:VCS] & {VCS{valid_i[i]}});
    end
  end
  wire some = |(some_q & valid_i);
  wire full = |(full_q & valid_i);
  wire single = |(single_q & valid_i);
  wire known = |match;
  wire [PENDING-1:0] free = ~pending_q & (pending_q + {{(PENDING - 1){1'b0}}, 1'b1});  // the lowest free slot, one-hot
  wire ends = valid && tail_i;
  wire counts = ends && !single;

  assign data_valid_o = !head_i && some;
  assign data_add_o = name[0];
  assign data_address_o = address;
  assign data_lanes_o = lanes;
  assign data_vc_o = valid_i;
  assign vc_address_o = address_q;
  assign data_o = flit_i;
  assign arrived_o = tail_i && |(completes & valid_i);
  assign arrived_add_o = name[0];
  assign arrived_store_o = tail_i && |(completes & stores & valid_i);
  assign arrived_flow_o = name[1+:FLOW_W];
  assign overflow_o = overflow_q;
  wire [LEN_W-1:0] words_left = full ? {words[LEN_W-1:LANE_W] - ONE_FLIT, words[LANE_W-1:0]} : {LEN_W{1'b0}};

  // Gated clocks: clk runs when a flit arrives on any virtual channel, packet_clk when one arrives on the clock's
  // virtual channel, and message_clk when a packet of a multi-packet message ends.
  wire clk, message_clk;
  clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || valid), .clk_o(clk));
  clock_gate #(.GATES(GATES)) i_message_gate (.clk_i(clk), .enable_i(counts), .clk_o(message_clk));
  genvar l;
  generate
    for (l = 0; l < VCS; l = l + 1) begin : g_vc
      wire comes = valid_i[l];
      assign vc_lanes_o[l*LANES+:LANES] = {LANES{full_q[l]}} | ~({LANES{1'b1}} << words_q[l*LEN_W+:LANE_W]);
      assign completes[l] = single_q[l] || |(match_q[l*PENDING+:PENDING] & last_q);
      assign stores[l] = !name_q[l*NAME_W];
      assign equal[l] = name_q[l*NAME_W+:NAME_W] == name_in;
      wire packet_clk;
      clock_gate #(.GATES(GATES)) i_packet_gate (.clk_i(clk), .enable_i(comes), .clk_o(packet_clk));
      integer k;
      always @(posedge packet_clk) begin
        if (comes && head_i) begin
          name_q[l*NAME_W+:NAME_W] <= name_in;
          address_q[l*ADDR_W+:ADDR_W] <= flit_i[ADDR_AT+:ADDR_W];
          words_q[l*LEN_W+:LEN_W] <= words_in;
          some_q[l] <= |words_in;
          full_q[l] <= |words_in[LEN_W-1:LANE_W];
          others_q[l*PACKETS_W+:PACKETS_W] <= packets_in - ONE;
          single_q[l] <= packets_in == ONE;
          two_q[l] <= packets_in == TWO;
        end else if (comes && some) begin
          address_q[l*ADDR_W+:ADDR_W] <= address + ADDR_STEP;
          words_q[l*LEN_W+:LEN_W] <= words_left;
          some_q[l] <= |words_left;
          full_q[l] <= full && words[LEN_W-1:LANE_W] != ONE_FLIT;
        end
      end
      always @(posedge clk) begin
        if (comes && head_i) begin
          for (k = 0; k < PENDING; k = k + 1)
            match_q[l*PENDING+k] <= pending_q[k] && message_q[k*NAME_W+:NAME_W] == name_in;
        end else if (counts) begin
          // The end of a packet frees its message's slot if the message is complete, or allocates one if there is none.
          if (known) match_q[l*PENDING+:PENDING] <= match_q[l*PENDING+:PENDING] & ~(match & last_q);
          else if (same[l]) match_q[l*PENDING+:PENDING] <= free;
        end
        if (head_i) begin
          for (k = 0; k < VCS; k = k + 1)
            if (valid_i[l] || valid_i[k]) same_q[l*VCS+k] <= valid_i[l] ? equal[k] : equal[l];
        end
      end
    end
    for (l = 0; l < PENDING; l = l + 1) begin : g_pending
      wire [PACKETS_W-1:0] missing = missing_q[l*PACKETS_W+:PACKETS_W];
      always @(posedge message_clk) begin
        if (counts) begin
          // If no slot is being allocated, this write has no effect because the slot stays free.
          if (free[l]) message_q[l*NAME_W+:NAME_W] <= name;
          if (match[l] || free[l]) begin
            missing_q[l*PACKETS_W+:PACKETS_W] <= pending_q[l] ? missing - ONE : others;
            last_q[l] <= pending_q[l] ? missing == TWO : |(two_q & valid_i);
          end
        end
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_ni) begin
      pending_q <= {PENDING{1'b0}};
      overflow_q <= 1'b0;
    end else if (counts) begin
      pending_q <= known ? pending_q & ~(match & last_q) : pending_q | free;
      if (!known && &pending_q) overflow_q <= 1'b1;
    end
  end
endmodule
`default_nettype wire

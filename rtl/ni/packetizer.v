// Splits issued messages into packets, in the order of issue. A packet consists of a head flit and at most
// payload_words_i words of data; with message-based flow control, one packet contains the whole message. The packetizer
// holds the current message and the next one, so no cycle is lost between messages or packets. A message's head leaves
// at least latency_i cycles after its push. A flit leaves in a cycle with valid_o and taken_i; taken_i does not have to
// wait for valid_o.
//
// A head flit contains, from bit 0: whether its data is added or stored, flow, address of the packet's first word,
// number of data words in the packet, tag (source port and sequence number), number of packets in the message, and
// source route.
`include "../ni/coppice_layout.vh"
`default_nettype none
module packetizer #(
  parameter FLIT_W = 128,   // flit width
  parameter LANES = 4,      // words per flit, a power of two
  parameter LATENCY_W = 4,  // width of a latency
  parameter FLOW_W = 10,    // width of a flow number
  parameter ADDR_W = 24,    // width of a word address
  parameter LEN_W = 20,     // width of a length in words
  parameter PACKETS_W = 14, // width of a packet count
  parameter SOURCE_W = 10,  // width of a source port's number
  parameter ROUTE_W = 42,   // width of a source route
  parameter GATES = 0       // 1: gates the clocks of idle parts
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire [SOURCE_W-1:0]  source_i,
  input  wire [LEN_W-1:0]     payload_words_i,  // a multiple of LANES
  input  wire                 push_i,
  input  wire [LATENCY_W-1:0] latency_i,  // cycles between push and head, at least 2
  input  wire                 add_i,
  input  wire [FLOW_W-1:0]    flow_i,
  input  wire [ADDR_W-1:0]    address_i,
  input  wire [LEN_W-1:0]     words_i,    // words of data
  input  wire [LEN_W-1:0]     total_i,    // words including padding
  input  wire [PACKETS_W-1:0] packets_i,
  input  wire [ROUTE_W-1:0]   route_i,
  output wire                 place_o,    // push_i is permitted
  input  wire                 data_valid_i,
  input  wire [FLIT_W-1:0]    data_i,
  output wire                 data_taken_o,
  output wire                 valid_o,
  output wire                 head_o,
  output wire                 tail_o,
  output wire                 last_o,     // the flit is the message's tail
  output wire [FLIT_W-1:0]    flit_o,
  input  wire                 taken_i,
  output wire                 busy_o
);
  localparam SEQ_W = `COPPICE_SEQUENCE_W;
  localparam TAG_W = `COPPICE_TAG_W;
  localparam LANE_W = $clog2(LANES);
  localparam BODY_W = LEN_W - LANE_W + 1;
  localparam HEAD_W = `COPPICE_HEAD_W;

  localparam [LATENCY_W-1:0] NEXT = 2;
  localparam [BODY_W-1:0] ONE_FLIT = 1;
  localparam [BODY_W-1:0] TWO_FLITS = 2;

  reg [LATENCY_W-1:0] wait_q [0:1];
  reg [1:0]           ready_q;
  reg                 add_q [0:1];
  reg [FLOW_W-1:0]    flow_q [0:1];
  reg [ADDR_W-1:0]    address_q [0:1];  // address of the next packet's first word
  reg [LEN_W-1:0]     words_q [0:1];    // data words in the packets whose heads have not left
  reg [LEN_W-1:0]     total_q [0:1];    // words in these packets, with padding; valid until the last head leaves
  reg [PACKETS_W-1:0] packets_q [0:1];
  reg [ROUTE_W-1:0]   route_q [0:1];
  // all_words_q: the next packet contains all remaining data; all_q: it is the last packet. Both are computed one cycle
  // after the word counts change, which is early enough because a head leaves at least two cycles after a push or the
  // previous head.
  reg [1:0]           all_words_q, all_q;
  reg [1:0]           count_q;
  reg                 front_q;
  reg [SEQ_W-1:0]     sequence_q;
  reg                 in_packet_q;    // the head of the current packet has left
  reg                 last_packet_q;  // the current packet is the last one of its message
  reg [BODY_W-1:0]    body_left_q;    // flits that remain in the packet, with data or padding
  reg [BODY_W-1:0]    data_left_q;    // flits that remain in the packet and contain data
  reg                 last_flit_q;    // one flit remains in the packet
  reg                 holds_data_q;   // the next flit contains data

  wire back = front_q ^ count_q[0];
  wire starts = busy_o && ready_q[front_q];
  wire [LEN_W-1:0] packet_total = all_q[front_q] ? total_q[front_q] : payload_words_i;
  wire [LEN_W-1:0] packet_words = all_words_q[front_q] ? words_q[front_q] : payload_words_i;
  wire [BODY_W-1:0] packet_flits =
    {1'b0, packet_total[LEN_W-1:LANE_W]} + {{(BODY_W - 1){1'b0}}, |packet_total[LANE_W-1:0]};
  wire [BODY_W-1:0] packet_data =
    {1'b0, packet_words[LEN_W-1:LANE_W]} + {{(BODY_W - 1){1'b0}}, |packet_words[LANE_W-1:0]};
  wire [HEAD_W-1:0] head;
  assign head[0] = add_q[front_q];
  assign head[`COPPICE_HEAD_FLOW_AT+:FLOW_W] = flow_q[front_q];
  assign head[`COPPICE_HEAD_ADDR_AT+:ADDR_W] = address_q[front_q];
  assign head[`COPPICE_HEAD_WORDS_AT+:LEN_W] = packet_words;
  assign head[`COPPICE_HEAD_TAG_AT+:TAG_W] = {sequence_q, source_i};
  assign head[`COPPICE_HEAD_PACKETS_AT+:PACKETS_W] = packets_q[front_q];
  assign head[`COPPICE_HEAD_ROUTE_AT+:ROUTE_W] = route_q[front_q];

  assign place_o = !count_q[1];
  assign busy_o = count_q != 2'd0;
  assign head_o = !in_packet_q;
  assign valid_o = in_packet_q ? !holds_data_q || data_valid_i : starts;
  assign tail_o = in_packet_q && last_flit_q;
  assign last_o = tail_o && last_packet_q;
  assign flit_o = !in_packet_q ? {{(FLIT_W - HEAD_W){1'b0}}, head} : holds_data_q ? data_i : {FLIT_W{1'b0}};
  assign data_taken_o = in_packet_q && holds_data_q && data_valid_i && taken_i;

  // A head may leave before its data has arrived.
  wire take_head = !in_packet_q && starts && taken_i;
  wire take_body = in_packet_q && (!holds_data_q || data_valid_i) && taken_i;
  wire take = take_head || take_body;
  wire pop = take_body && last_o;
  integer i;

  // message_clk is for the registers that change only when a message is pushed or a head leaves; clk is for all others.
  wire message_clk, clk;
  clock_gate #(.GATES(GATES)) i_message_gate (.clk_i(clk_i), .enable_i(push_i || take_head), .clk_o(message_clk));
  clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || push_i || take || ready_q != 2'd3), .clk_o(clk));

  always @(posedge clk_i) begin
    for (i = 0; i < 2; i = i + 1) begin
      all_words_q[i] <= words_q[i] <= payload_words_i;
      all_q[i] <= total_q[i] <= payload_words_i;
    end
  end
  always @(posedge message_clk) begin
    if (take_head) begin
      address_q[front_q] <= address_q[front_q] + {{(ADDR_W - LEN_W){1'b0}}, packet_words};
      words_q[front_q] <= all_words_q[front_q] ? {LEN_W{1'b0}} : words_q[front_q] - payload_words_i;
      total_q[front_q] <= total_q[front_q] - payload_words_i;
    end
    if (push_i) begin
      add_q[back] <= add_i;
      flow_q[back] <= flow_i;
      address_q[back] <= address_i;
      words_q[back] <= words_i;
      total_q[back] <= total_i;
      packets_q[back] <= packets_i;
      route_q[back] <= route_i;
    end
  end
  always @(posedge clk) begin
    if (!rst_ni) begin
      count_q <= 2'd0;
      ready_q <= 2'd3;
      front_q <= 1'b0;
      sequence_q <= {SEQ_W{1'b0}};
      in_packet_q <= 1'b0;
    end else begin
      for (i = 0; i < 2; i = i + 1) begin
        if (!ready_q[i]) wait_q[i] <= wait_q[i] - 1'b1;
        if (wait_q[i] == NEXT) ready_q[i] <= 1'b1;
      end
      if (take_head) begin
        in_packet_q <= 1'b1;
        last_packet_q <= all_q[front_q];
        body_left_q <= packet_flits;
        data_left_q <= packet_data;
        last_flit_q <= packet_flits == ONE_FLIT;
        holds_data_q <= |packet_words;
      end
      if (take_body) begin
        body_left_q <= body_left_q - 1'b1;
        if (holds_data_q) data_left_q <= data_left_q - 1'b1;
        last_flit_q <= body_left_q == TWO_FLITS;
        holds_data_q <= |data_left_q[BODY_W-1:1];
        if (tail_o) in_packet_q <= 1'b0;
      end
      if (pop) begin
        front_q <= !front_q;
        sequence_q <= sequence_q + 1'b1;
      end
      if (push_i) begin
        wait_q[back] <= latency_i;
        ready_q[back] <= 1'b0;
      end
      count_q <= count_q + {1'b0, push_i} - {1'b0, pop};
    end
  end
endmodule
`default_nettype wire

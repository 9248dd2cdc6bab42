// Takes the flits of a port's ejection channel, one a cycle, and puts packets back together: data goes to the
// reduction unit with its address in the cycle in which it comes, padding is dropped. Packets of a virtual
// channel come one after another; those of different virtual channels interleave. A message has arrived when
// all its packets have, in whatever order: messages of more than one packet are kept in PENDING places, and
// overflow_o tells (for good) that more were incomplete at once. A message is known by its tag, flow and whether it adds:
// sequence numbers start again long before virtual channels have delivered all that was sent.
`default_nettype none
module depacketizer #(
  parameter FLIT_W = 128,    // bits of a flit
  parameter LANES = 4,       // words of a flit
  parameter VCS = 4,         // virtual channels
  parameter VC_W = 2,        // bits of one
  parameter FLOW_W = 10,     // bits of a flow
  parameter ADDR_W = 24,     // bits of an address, in words
  parameter LEN_W = 20,      // bits of a length, in words
  parameter PACKETS_W = 14,  // bits of a number of packets
  parameter TAG_W = 12,      // bits of a message's tag: source port and sequence number
  parameter PENDING = 8      // incomplete messages
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              valid_i,
  input  wire [VC_W-1:0]   vc_i,
  input  wire              head_i,
  input  wire              tail_i,
  input  wire [FLIT_W-1:0] flit_i,
  output wire              data_valid_o,
  output wire              data_add_o,       // add, else store
  output wire [ADDR_W-1:0] data_address_o,
  output wire [LANES-1:0]  data_lanes_o,     // lanes that hold a word
  output wire [FLIT_W-1:0] data_o,
  output wire              arrived_o,        // the last tail of a message came
  output wire              arrived_add_o,
  output wire [FLOW_W-1:0] arrived_flow_o,
  output wire              overflow_o
);
  localparam NAME_W = TAG_W + FLOW_W + 1;
  localparam FLOW_AT = 1;
  localparam ADDR_AT = FLOW_AT + FLOW_W;
  localparam WORDS_AT = ADDR_AT + ADDR_W;
  localparam TAG_AT = WORDS_AT + LEN_W;
  localparam PACKETS_AT = TAG_AT + TAG_W;
  localparam [ADDR_W-1:0] ADDR_STEP = LANES[ADDR_W-1:0];
  localparam [LEN_W-1:0] LEN_STEP = LANES[LEN_W-1:0];
  localparam [PACKETS_W-1:0] ONE = 1;

  // The packet under way on each virtual channel.
  reg                 add_q [0:VCS-1];
  reg [FLOW_W-1:0]    flow_q [0:VCS-1];
  reg [ADDR_W-1:0]    address_q [0:VCS-1];
  reg [LEN_W-1:0]     words_q [0:VCS-1];  // still to come
  reg [TAG_W-1:0]     tag_q [0:VCS-1];
  reg [PACKETS_W-1:0] packets_q [0:VCS-1];

  // Messages of which some packets have come.
  reg [PENDING-1:0]   pending_q;
  wire [PENDING*NAME_W-1:0] pending_name;
  reg [PACKETS_W-1:0] missing_q [0:PENDING-1];
  reg                 overflow_q;

  localparam PLACE_W = $clog2(PENDING);
  wire [NAME_W-1:0] name = {tag_q[vc_i], flow_q[vc_i], add_q[vc_i]};
  wire ends = valid_i && tail_i;
  reg  known, room;
  reg  [PLACE_W-1:0] place, free;
  integer i;
  always @* begin
    known = 1'b0;
    place = {PLACE_W{1'b0}};
    room = 1'b0;
    free = {PLACE_W{1'b0}};
    if (ends) begin
      for (i = 0; i < PENDING; i = i + 1) begin
        if (pending_q[i] && pending_name[i*NAME_W+:NAME_W] == name) begin
          known = 1'b1;
          place = i[PLACE_W-1:0];
        end
        if (!pending_q[i] && !room) begin
          room = 1'b1;
          free = i[PLACE_W-1:0];
        end
      end
    end
  end
  wire single = packets_q[vc_i] == ONE;

  assign data_valid_o = valid_i && !head_i && words_q[vc_i] != {LEN_W{1'b0}};
  assign data_add_o = add_q[vc_i];
  assign data_address_o = address_q[vc_i];
  assign data_o = flit_i;
  assign arrived_o = ends && (single || (known && missing_q[place] == ONE));
  assign arrived_add_o = add_q[vc_i];
  assign arrived_flow_o = flow_q[vc_i];
  assign overflow_o = overflow_q;
  genvar l;
  generate
    for (l = 0; l < PENDING; l = l + 1) begin : g_pending
      localparam [PLACE_W-1:0] PLACE = l;
      reg [NAME_W-1:0] message_q;
      assign pending_name[l*NAME_W+:NAME_W] = message_q;
      always @(posedge clk_i) if (ends && !single && !known && free == PLACE) message_q <= name;
    end
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam [LEN_W-1:0] INDEX = l;
      assign data_lanes_o[l] = words_q[vc_i] > INDEX;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= {PENDING{1'b0}};
      overflow_q <= 1'b0;
    end else if (valid_i) begin
      if (head_i) begin
        add_q[vc_i] <= flit_i[0];
        flow_q[vc_i] <= flit_i[FLOW_AT+:FLOW_W];
        address_q[vc_i] <= flit_i[ADDR_AT+:ADDR_W];
        words_q[vc_i] <= flit_i[WORDS_AT+:LEN_W];
        tag_q[vc_i] <= flit_i[TAG_AT+:TAG_W];
        packets_q[vc_i] <= flit_i[PACKETS_AT+:PACKETS_W];
      end else if (data_valid_o) begin
        address_q[vc_i] <= address_q[vc_i] + ADDR_STEP;
        words_q[vc_i] <= words_q[vc_i] < LEN_STEP ? {LEN_W{1'b0}} : words_q[vc_i] - LEN_STEP;
      end
      if (tail_i && !single) begin
        if (known) begin
          missing_q[place] <= missing_q[place] - ONE;
          if (missing_q[place] == ONE) pending_q[place] <= 1'b0;
        end else if (room) begin
          pending_q[free] <= 1'b1;
          missing_q[free] <= packets_q[vc_i] - ONE;
        end else begin
          overflow_q <= 1'b1;
        end
      end
    end
  end
endmodule
`default_nettype wire

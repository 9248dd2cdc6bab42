// One bank of the memory behind a network interface: it caches lines, which it loads and writes back through its AXI4
// port. The bank of a line is determined by the lowest bits of the line's number. The cache has LINES slots; a line
// remains in its slot while it is pinned, and for some cycles afterwards.
//
// A stream requests a line (touch_i) until touched_o reports that the line has a slot and has been pinned; this happens
// at once if the line already has a slot or a slot is free. In the next cycle, place_o is the number of the slot. If
// words of the line will be read (touch_data_i), a burst loads the line; lines that are only written are not loaded.
// whole_o marks the slots in which all words of the line are present. Each write, and each read by a data-request
// stream (PORTS and above), removes one pin.
//
// A clock hand selects the lines to be evicted, as in the CLOCK algorithm. It visits one slot per cycle. An unpinned
// line that was touched since the last visit is spared, unless a stream is waiting for a slot; any other unpinned line
// is evicted in the next cycle, unless it is touched in between. If the line contains new words, these words are
// written to memory, and the slot becomes free with the response; otherwise it becomes free at once. A line is thus
// loaded again only after its write has been acknowledged, and all data is in memory (busy_o is 0) soon after the last
// request.
//
// In each cycle, LANES consecutive words of a line can be read, and LANES consecutive words written, but not the same
// words. The words read are output in the next cycle. Bursts and evicted lines use cycles in which the streams do not
// read or write.
`default_nettype none
module memory_bank #(
  parameter PORTS = 4,        // ports of the network interface
  parameter LANES = 4,        // words per flit, a power of two, at least 2
  parameter LINE_WORDS = 16,  // words per line, a power of two, at least 2 * LANES
  parameter LINES = 16,       // number of slots, a power of two above 2 * PORTS
  parameter TAG_W = 18,       // width of a line number within the bank
  parameter PIN_W = 8,        // width of a slot's pin count
  parameter AXI_W = 128,      // width of an AXI4 word, 32 times a power of two, at most FLIT_W
  parameter ADDRESS_W = 44,   // width of an AXI4 address
  parameter BANKS = 4,        // number of banks, a power of two, at least 2
  parameter BANK = 0,         // number of this bank
  // These parameters are derived from the others; do not set them.
  parameter STREAMS = 2 * PORTS,
  parameter PLACE_W = $clog2(LINES),
  parameter ROWS = LINE_WORDS / LANES,
  parameter ROW_W = $clog2(ROWS),
  parameter SHIFT_W = $clog2(LANES),
  parameter FLIT_W = 32 * LANES,
  parameter STRB_W = AXI_W / 8
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire [ADDRESS_W-13:0]      base_i,        // address of word 0, in units of 4 KiB
  input  wire [STREAMS-1:0]         from_i,        // priorities of the streams, as a pointer of round_robin
  input  wire [STREAMS-1:0]         touch_i,
  input  wire [STREAMS*TAG_W-1:0]   touch_tag_i,
  input  wire [STREAMS-1:0]         touch_data_i,
  output wire [STREAMS-1:0]         touched_o,
  output wire [PLACE_W-1:0]         place_o,
  output wire [LINES-1:0]           whole_o,
  // Reads: the streams that request one, the stream whose request is granted, and the stream that reads.
  input  wire [STREAMS-1:0]         read_request_i,
  output wire [STREAMS-1:0]         read_grant_o,
  input  wire [STREAMS-1:0]         read_i,
  input  wire [STREAMS*PLACE_W-1:0] read_place_i,
  input  wire [STREAMS*ROW_W-1:0]   read_row_i,    // row in which the first word lies
  input  wire [STREAMS*SHIFT_W-1:0] read_shift_i,  // lane in which the first word lies
  output wire [FLIT_W-1:0]          read_data_o,   // word l of the row or rows is in lane l
  // Writes, at most one per cycle: sums are always granted, and stores must request a grant.
  input  wire [PORTS-1:0]           store_request_i,
  output wire [PORTS-1:0]           store_grant_o,
  input  wire [2*PORTS-1:0]         write_i,       // the sums of each port, then the stores
  input  wire [2*PORTS*PLACE_W-1:0] write_place_i,
  input  wire [2*PORTS*ROW_W-1:0]   write_row_i,
  input  wire [2*PORTS*SHIFT_W-1:0] write_shift_i,
  input  wire [2*PORTS*LANES-1:0]   write_lanes_i, // [source][memory lane]: a word is written
  input  wire [2*PORTS*FLIT_W-1:0]  write_data_i,
  output wire                       busy_o,
  output wire                       error_o,       // memory answered with an error; sticky until reset
  output wire [ADDRESS_W-1:0]       araddr_o,
  output wire                       arvalid_o,
  input  wire                       arready_i,
  input  wire [AXI_W-1:0]           rdata_i,
  input  wire [1:0]                 rresp_i,
  input  wire                       rlast_i,
  input  wire                       rvalid_i,
  output wire                       rready_o,
  output wire [ADDRESS_W-1:0]       awaddr_o,
  output wire                       awvalid_o,
  input  wire                       awready_i,
  output wire [AXI_W-1:0]           wdata_o,
  output wire [STRB_W-1:0]          wstrb_o,
  output wire                       wlast_o,
  output wire                       wvalid_o,
  input  wire                       wready_i,
  input  wire [1:0]                 bresp_i,
  input  wire                       bvalid_i,
  output wire                       bready_o
);
  localparam PARTS = FLIT_W / AXI_W;  // AXI4 words per row
  localparam PART_W = PARTS > 1 ? $clog2(PARTS) : 1;
  localparam PART_LANES = LANES / PARTS;
  localparam LINE_W = $clog2(LINE_WORDS);
  localparam BANK_W = $clog2(BANKS);
  localparam [BANK_W-1:0] NUMBER = BANK[BANK_W-1:0];
  localparam LAST_ROW_OF = ROWS - 1;
  localparam LAST_PART_OF = PARTS - 1;
  localparam [ROW_W-1:0] LAST_ROW = LAST_ROW_OF[ROW_W-1:0];
  localparam [PART_W-1:0] LAST_PART = LAST_PART_OF[PART_W-1:0];
  localparam [PIN_W-1:0] NO_PINS = 0;

  function [ADDRESS_W-1:0] address_of(input [TAG_W-1:0] line);
    address_of = {base_i, 12'd0} + {{(ADDRESS_W - TAG_W - BANK_W - LINE_W - 2){1'b0}}, line, NUMBER, {(LINE_W + 2){1'b0}}};
  endfunction

  // State of each slot.
  reg [LINES-1:0]            used_q;     // it holds a line
  reg [LINES-1:0]            leaves_q;   // the line is being written back to memory
  reg [LINES-1:0]            asked_q;    // the line's words have been requested from memory and are not complete
  reg [LINES-1:0]            full_q;     // all words of the line have been loaded
  reg [LINES-1:0]            touched_q;  // the line was touched after the last visit of the clock hand
  reg [LINES*TAG_W-1:0]      tag_q;      // number of the line within the bank
  reg [LINES*PIN_W-1:0]      pins_q;
  reg [LINES*LINE_WORDS-1:0] new_q;  // [slot][word]: the word has not been written to memory
  wire [LINES-1:0] pinned, all_new;
  assign whole_o = full_q | all_new;

  // Touches. To shorten the path, the outcome is computed for every stream before one stream is granted. In the next
  // cycle, the pin is counted and, if necessary, the line is requested from memory.
  wire [STREAMS-1:0] toucher, is_there, may_come, may_ask;
  wire [STREAMS*LINES-1:0] may_have;  // [stream]: slot that the line has or would be allocated
  reg  [TAG_W-1:0]   tag;
  reg  [PLACE_W-1:0] place;
  reg  [LINES-1:0]   comes, comes_q;  // slot of the touched line, now and in the previous cycle
  reg                asks_q;          // the line touched in the previous cycle must be loaded
  wire [LINES-1:0]   leaves, drops;   // slot of the evicted line if it is written back; if it is dropped
  wire [LINES-1:0]   going;           // slots whose lines are being evicted and cannot be touched
  wire [LINES-1:0]   free = ~used_q & (used_q + {{(LINES - 1){1'b0}}, 1'b1});  // the lowest free slot, one-hot
  wire new_comes = |(toucher & ~is_there);
  wire asks = |(toucher & may_ask);
  assign place_o = place;
  assign touched_o = toucher & may_come;
  integer i;
  always @* begin
    tag = {TAG_W{1'b0}};
    comes = {LINES{1'b0}};
    for (i = 0; i < STREAMS; i = i + 1) begin
      tag = tag | (touch_tag_i[i*TAG_W+:TAG_W] & {TAG_W{toucher[i]}});
      comes = comes | (may_have[i*LINES+:LINES] & {LINES{toucher[i]}});
    end
    place = {PLACE_W{1'b0}};
    for (i = 0; i < LINES; i = i + 1) place = place | (i[PLACE_W-1:0] & {PLACE_W{comes_q[i]}});
  end

  // The read port serves the granted stream or, in cycles without one, reads a row of an evicted line.
  reg  [PLACE_W-1:0] stream_place;
  reg  [ROW_W-1:0]   stream_row;
  reg  [SHIFT_W-1:0] stream_shift;
  integer r;
  always @* begin
    stream_place = {PLACE_W{1'b0}};
    stream_row = {ROW_W{1'b0}};
    stream_shift = {SHIFT_W{1'b0}};
    for (r = 0; r < STREAMS; r = r + 1) begin
      stream_place = stream_place | (read_place_i[r*PLACE_W+:PLACE_W] & {PLACE_W{read_i[r]}});
      stream_row = stream_row | (read_row_i[r*ROW_W+:ROW_W] & {ROW_W{read_i[r]}});
      stream_shift = stream_shift | (read_shift_i[r*SHIFT_W+:SHIFT_W] & {SHIFT_W{read_i[r]}});
    end
  end
  reg                unpins_read_q, unpins_write_q;  // a read (or a write) in the previous cycle removes a pin
  reg  [PLACE_W-1:0] unpinned_read_q, unpinned_write_q;

  // The write port serves the network interface or, in other cycles, stores words of a burst.
  reg  [PLACE_W-1:0] own_place;
  reg  [ROW_W-1:0]   own_row;
  reg  [SHIFT_W-1:0] own_shift;
  reg  [LANES-1:0]   own_lanes;
  reg  [FLIT_W-1:0]  own_data;
  integer w;
  always @* begin
    own_place = {PLACE_W{1'b0}};
    own_row = {ROW_W{1'b0}};
    own_shift = {SHIFT_W{1'b0}};
    own_lanes = {LANES{1'b0}};
    own_data = {FLIT_W{1'b0}};
    for (w = 0; w < 2 * PORTS; w = w + 1) begin
      own_place = own_place | (write_place_i[w*PLACE_W+:PLACE_W] & {PLACE_W{write_i[w]}});
      own_row = own_row | (write_row_i[w*ROW_W+:ROW_W] & {ROW_W{write_i[w]}});
      own_shift = own_shift | (write_shift_i[w*SHIFT_W+:SHIFT_W] & {SHIFT_W{write_i[w]}});
      own_lanes = own_lanes | (write_lanes_i[w*LANES+:LANES] & {LANES{write_i[w]}});
      own_data = own_data | (write_data_i[w*FLIT_W+:FLIT_W] & {FLIT_W{write_i[w]}});
    end
  end
  wire own = |write_i;
  // Lanes whose words are in the row after the row of the first word.
  wire [LANES-1:0] own_behind = ~({LANES{1'b1}} << own_shift);
  wire [PORTS-1:0] store_first;
  assign store_grant_o = store_first & {PORTS{!(|write_i[PORTS-1:0])}};

  // In each cycle, at most one stream touches a line, one stream reads and one port stores. Priorities are the same in
  // all banks and do not depend on requests, so the stream with the highest priority obtains all the banks that it
  // needs.
  wire [2*STREAMS+PORTS-1:0] unused_behind;
  wire [2:0]                 unused_any;
  round_robin #(.WIDTH(STREAMS)) i_touches (
    .request_i(touch_i), .from_i(from_i), .grant_o(toucher), .behind_o(unused_behind[0+:STREAMS]), .any_o(unused_any[0]));
  round_robin #(.WIDTH(STREAMS)) i_reads (
    .request_i(read_request_i), .from_i(from_i), .grant_o(read_grant_o), .behind_o(unused_behind[STREAMS+:STREAMS]),
    .any_o(unused_any[1]));
  round_robin #(.WIDTH(PORTS)) i_stores (
    .request_i(store_request_i), .from_i(from_i[PORTS-1:0]), .grant_o(store_first),
    .behind_o(unused_behind[2*STREAMS+:PORTS]), .any_o(unused_any[2]));

  // Bursts that load lines, in the order in which the lines were touched.
  wire [PLACE_W-1:0] ask_place, fill_place;
  wire               ask_none, fill_none, ask_full, fill_full;
  wire [PLACE_W:0]   ask_count, fill_count;
  wire               beat_none, beat_full;
  wire [1:0]         beat_count;
  wire [AXI_W-1:0]   beat;
  reg                arvalid_q, ask_q;  // an address is being offered; another one waits behind it
  reg  [ADDRESS_W-1:0] araddr_q;
  reg  [TAG_W-1:0]   ask_tag_q;
  reg  [ROW_W-1:0]   fill_row_q;
  reg  [PART_W-1:0]  fill_part_q;
  wire fills = !beat_none && !own;
  wire fill_ends = fills && fill_row_q == LAST_ROW && fill_part_q == LAST_PART;
  wire ask_offers = ask_q && (!arvalid_q || arready_i);
  wire ask_goes = !ask_none && (!ask_q || ask_offers);
  fifo #(.WIDTH(PLACE_W), .DEPTH(LINES), .ADDR_W(PLACE_W)) i_asks (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(asks_q), .data_i(place_o), .pop_i(ask_goes), .data_o(ask_place),
    .empty_o(ask_none), .full_o(ask_full), .count_o(ask_count));
  fifo #(.WIDTH(PLACE_W), .DEPTH(LINES), .ADDR_W(PLACE_W), .FRONT(1)) i_fills (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(asks_q), .data_i(place_o), .pop_i(fill_ends), .data_o(fill_place),
    .empty_o(fill_none), .full_o(fill_full), .count_o(fill_count));
  fifo #(.WIDTH(AXI_W), .DEPTH(2), .ADDR_W(1)) i_beats (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(rvalid_i && rready_o), .data_i(rdata_i), .pop_i(fills), .data_o(beat),
    .empty_o(beat_none), .full_o(beat_full), .count_o(beat_count));
  assign rready_o = !beat_full;
  assign arvalid_o = arvalid_q;
  assign araddr_o = araddr_q;

  // The clock hand, and the line that is being evicted.
  reg  [LINES-1:0]   hand_q;  // the slot that the hand visits
  reg  [LINES-1:0]   go_q;    // the slot of a line that is to be evicted, one-hot
  reg                go_new_q;  // the line to be evicted contains unwritten words
  reg  [PLACE_W-1:0] leave_place_q, go_place;
  reg                leaves_now_q, row_read_q, row_last_q, awvalid_q, leave_q;
  reg  [TAG_W-1:0]   leave_tag_q;
  reg  [ROW_W-1:0]   leave_row_q;
  reg  [LANES-1:0]   row_new_q;
  reg  [ADDRESS_W-1:0] awaddr_q;
  wire [LANES+FLIT_W:0] row_in, row;
  wire               row_none, row_full, row_taken;
  reg  [PART_W-1:0]  part_q;
  wire [2:0]         row_count;
  wire [PLACE_W-1:0] answered_place;
  wire               answered_none, answered_full;
  wire [PLACE_W:0]   answered_count;
  // The line to be evicted is selected one cycle in advance, because touches need this information early.
  wire [LINES-1:0] holds_new;
  wire [LINES-1:0] hand_may = hand_q & used_q & ~leaves_q & ~asked_q & ~pinned;
  wire all_used = used_q == {LINES{1'b1}};
  wire wanted = |touch_i && all_used;
  wire [LINES-1:0] spared = touched_q & {LINES{!wanted}};
  wire may_leave = !leaves_now_q && !awvalid_q && !leave_q && !go_new_q;
  wire [LINES-1:0] may_go = hand_may & ~spared & (~holds_new | {LINES{may_leave}});
  wire [LINES-1:0] goes = go_q & ~comes_q;
  assign going = leaves_q | goes;
  assign leaves = goes & {LINES{go_new_q}};
  assign drops = goes & {LINES{!go_new_q}};
  wire leave = |leaves;
  reg  [TAG_W-1:0] go_tag;
  integer h;
  always @* begin
    go_place = {PLACE_W{1'b0}};
    go_tag = {TAG_W{1'b0}};
    for (h = 0; h < LINES; h = h + 1) begin
      go_place = go_place | (h[PLACE_W-1:0] & {PLACE_W{go_q[h]}});
      go_tag = go_tag | (tag_q[h*TAG_W+:TAG_W] & {TAG_W{go_q[h]}});
    end
  end
  wire row_goes = leaves_now_q && read_i == {STREAMS{1'b0}} && {1'b0, row_count} + {3'd0, row_read_q} < 4'd4;
  wire [PLACE_W-1:0] read_place = row_goes ? leave_place_q : stream_place;
  wire [ROW_W-1:0]   read_row = row_goes ? leave_row_q : stream_row;
  wire [SHIFT_W-1:0] read_shift = row_goes ? {SHIFT_W{1'b0}} : stream_shift;
  wire [LANES-1:0]   read_behind = ~({LANES{1'b1}} << read_shift);
  assign row_in = {row_last_q, row_new_q, read_data_o};
  fifo #(.WIDTH(1 + LANES + FLIT_W), .DEPTH(4), .ADDR_W(2)) i_rows (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(row_read_q), .data_i(row_in), .pop_i(row_taken), .data_o(row),
    .empty_o(row_none), .full_o(row_full), .count_o(row_count));
  assign row_taken = wvalid_o && wready_i && part_q == LAST_PART;
  assign wvalid_o = !row_none;
  assign wdata_o = row[part_q*AXI_W+:AXI_W];
  assign wlast_o = row[LANES+FLIT_W] && part_q == LAST_PART;
  assign awvalid_o = awvalid_q;
  assign awaddr_o = awaddr_q;
  fifo #(.WIDTH(PLACE_W), .DEPTH(LINES), .ADDR_W(PLACE_W)) i_answers (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(leave), .data_i(go_place), .pop_i(bvalid_i), .data_o(answered_place),
    .empty_o(answered_none), .full_o(answered_full), .count_o(answered_count));
  assign bready_o = 1'b1;

  genvar e, l;
  generate
    if (PLACE_W < 1 || (1 << PLACE_W) != LINES || LINES <= STREAMS) begin : g_check_lines
      LINES_must_be_a_power_of_two_above_the_streams i_wrong ();
    end
    for (e = 0; e < STRB_W / 4; e = e + 1) begin : g_strobe
      wire [LANES-1:0] lanes = row[FLIT_W+:LANES];
      assign wstrb_o[e*4+:4] = {4{lanes[part_q*PART_LANES+e]}};
    end

    for (e = 0; e < STREAMS; e = e + 1) begin : g_touch
      wire [LINES-1:0] found;
      for (l = 0; l < LINES; l = l + 1) begin : g_line
        assign found[l] = used_q[l] && tag_q[l*TAG_W+:TAG_W] == touch_tag_i[e*TAG_W+:TAG_W];
      end
      assign is_there[e] = |found;
      assign may_have[e*LINES+:LINES] = is_there[e] ? found & ~going : free;
      assign may_come[e] = is_there[e] ? |(found & ~going) : !all_used;
      assign may_ask[e] = touch_data_i[e] && (is_there[e] ? |(found & ~going & ~asked_q & ~whole_o) : !all_used);
    end

    for (e = 0; e < LINES; e = e + 1) begin : g_place
      localparam [PLACE_W-1:0] SELF = e;
      wire new_line = new_comes && free[e];
      wire unpin_read = unpins_read_q && unpinned_read_q == SELF;
      wire unpin_write = unpins_write_q && unpinned_write_q == SELF;
      wire write = own && own_place == SELF;
      assign pinned[e] = comes_q[e] || pins_q[e*PIN_W+:PIN_W] != NO_PINS;
      assign holds_new[e] = |new_q[e*LINE_WORDS+:LINE_WORDS];
      assign all_new[e] = &new_q[e*LINE_WORDS+:LINE_WORDS];
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          used_q[e] <= 1'b0;
          leaves_q[e] <= 1'b0;
          asked_q[e] <= 1'b0;
          full_q[e] <= 1'b0;
          touched_q[e] <= 1'b0;
          pins_q[e*PIN_W+:PIN_W] <= NO_PINS;
        end else begin
          if (comes[e]) used_q[e] <= 1'b1;
          else if (drops[e] || (bvalid_i && answered_place == SELF)) used_q[e] <= 1'b0;
          if (leaves[e]) leaves_q[e] <= 1'b1;
          else if (new_line) leaves_q[e] <= 1'b0;
          if (comes[e] && asks) asked_q[e] <= 1'b1;
          else if (fill_ends && fill_place == SELF) asked_q[e] <= 1'b0;
          if (new_line) full_q[e] <= 1'b0;
          else if (fill_ends && fill_place == SELF) full_q[e] <= 1'b1;
          if (comes[e]) touched_q[e] <= 1'b1;
          else if (hand_may[e]) touched_q[e] <= 1'b0;
          pins_q[e*PIN_W+:PIN_W] <= pins_q[e*PIN_W+:PIN_W] + {{(PIN_W - 1){1'b0}}, comes_q[e]} -
                                    {{(PIN_W - 1){1'b0}}, unpin_read} - {{(PIN_W - 1){1'b0}}, unpin_write};
        end
        if (new_line) tag_q[e*TAG_W+:TAG_W] <= tag;
      end
      for (l = 0; l < LINE_WORDS; l = l + 1) begin : g_word
        localparam ROW_OF = l / LANES;
        localparam [ROW_W-1:0] ROW = ROW_OF[ROW_W-1:0];
        localparam LANE = l % LANES;
        wire [ROW_W-1:0] written = own_row + {{(ROW_W - 1){1'b0}}, own_behind[LANE]};
        always @(posedge clk_i) begin
          if (new_line) new_q[e*LINE_WORDS+l] <= 1'b0;
          else if (write && own_lanes[LANE] && written == ROW) new_q[e*LINE_WORDS+l] <= 1'b1;
        end
      end
    end

    // Each lane has its own memory, which holds this lane's words of all lines, so LANES consecutive words are in
    // different memories.
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam PART_OF = l / PART_LANES;
      localparam [PART_W-1:0] PART = PART_OF[PART_W-1:0];
      reg  [31:0] words_q [0:LINES*ROWS-1];
      reg  [31:0] read_q;
      wire [ROW_W-1:0] from_row = read_row + {{(ROW_W - 1){1'b0}}, read_behind[l]};
      wire [ROW_W-1:0] own_to = own_row + {{(ROW_W - 1){1'b0}}, own_behind[l]};
      wire kept = new_q[fill_place*LINE_WORDS+fill_row_q*LANES+l];
      wire writes = own ? own_lanes[l] : fills && fill_part_q == PART && !kept;
      wire [PLACE_W+ROW_W-1:0] to = own ? {own_place, own_to} : {fill_place, fill_row_q};
      wire [PLACE_W+ROW_W-1:0] from = {read_place, from_row};
      wire [31:0] data = own ? own_data[l*32+:32] : beat[(l%PART_LANES)*32+:32];
      always @(posedge clk_i) begin
        if (writes) words_q[to] <= data;
        if (row_goes || |read_i) read_q <= words_q[from];
      end
      assign read_data_o[l*32+:32] = read_q;
    end
  endgenerate

  reg error_q;
  assign error_o = error_q;
  assign busy_o = |used_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      ask_q <= 1'b0;
      arvalid_q <= 1'b0;
      leave_q <= 1'b0;
      awvalid_q <= 1'b0;
      fill_row_q <= {ROW_W{1'b0}};
      fill_part_q <= {PART_W{1'b0}};
      comes_q <= {LINES{1'b0}};
      asks_q <= 1'b0;
      unpins_read_q <= 1'b0;
      unpins_write_q <= 1'b0;
      hand_q <= {{(LINES - 1){1'b0}}, 1'b1};
      go_q <= {LINES{1'b0}};
      go_new_q <= 1'b0;
      leaves_now_q <= 1'b0;
      row_read_q <= 1'b0;
      part_q <= {PART_W{1'b0}};
      error_q <= 1'b0;
    end else begin
      if (ask_goes) ask_q <= 1'b1;
      else if (ask_offers) ask_q <= 1'b0;
      if (ask_offers) arvalid_q <= 1'b1;
      else if (arready_i) arvalid_q <= 1'b0;
      leave_q <= leave;
      if (leave_q) awvalid_q <= 1'b1;
      else if (awready_i) awvalid_q <= 1'b0;
      if (fills) begin
        fill_part_q <= fill_part_q == LAST_PART ? {PART_W{1'b0}} : fill_part_q + 1'b1;
        if (fill_part_q == LAST_PART) fill_row_q <= fill_row_q + 1'b1;
      end
      comes_q <= comes;
      asks_q <= asks;
      unpins_read_q <= |read_i[STREAMS-1:PORTS];
      unpins_write_q <= own;
      hand_q <= {hand_q[LINES-2:0], hand_q[LINES-1]};
      go_q <= may_go;
      go_new_q <= |(may_go & holds_new);
      if (leave) leaves_now_q <= 1'b1;
      else if (row_goes && leave_row_q == LAST_ROW) leaves_now_q <= 1'b0;
      row_read_q <= row_goes;
      if (wvalid_o && wready_i) part_q <= part_q == LAST_PART ? {PART_W{1'b0}} : part_q + 1'b1;
      error_q <= error_q || (rvalid_i && rready_o && rresp_i[1]) || (bvalid_i && bresp_i[1]);
    end
    unpinned_read_q <= stream_place;
    unpinned_write_q <= own_place;
    if (ask_goes) ask_tag_q <= tag_q[ask_place*TAG_W+:TAG_W];
    if (ask_offers) araddr_q <= address_of(ask_tag_q);
    if (leave_q) awaddr_q <= address_of(leave_tag_q);
    if (leave) begin
      leave_tag_q <= go_tag;
      leave_place_q <= go_place;
      leave_row_q <= {ROW_W{1'b0}};
    end
    if (row_goes) begin
      leave_row_q <= leave_row_q + 1'b1;
      row_new_q <= new_q[leave_place_q*LINE_WORDS+leave_row_q*LANES+:LANES];
      row_last_q <= leave_row_q == LAST_ROW;
    end
  end

  // These signals are unused because no queue can overflow: a queue contains each line at most once, and a row is read
  // only if its queue has a free entry.
  wire unused = &{1'b0, rlast_i, rresp_i[0], bresp_i[0], fill_none, ask_full, fill_full, ask_count, fill_count,
                  beat_count, row_full, answered_none, answered_full, answered_count, unused_behind, unused_any};
endmodule
`default_nettype wire

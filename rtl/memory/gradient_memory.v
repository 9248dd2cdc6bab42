// Connects a network interface (with WAITS = 1) to memory through BANKS AXI4 ports, which may have any latency and
// back-pressure. Lines of LINE_WORDS words are interleaved over the banks. Each bank caches the lines that are in use
// (memory_bank.v) and accesses memory in bursts of one line.
//
// The network interface announces flits that arrive at the reduction unit (coming_*) and data requests (dma_*). The
// flits of a port form one stream and its requests another; each stream is served in order. Each flit or request is
// allocated a slot for its line, and another one if its words extend into the next line. ready_o is set if the oldest
// flit of a port's queue can proceed in this cycle: no other port is using the flit's bank, and its operands have been
// loaded or, for a store, its slots have been allocated. Words read with read_valid_i are output in the next cycle, and
// sums are written four cycles after the read. The data of a request is output one cycle after it has been read.
//
// Each stream allocates one slot at a time, so at most one of its slots belongs to a flit that still needs a second
// slot. A bank has more slots than there are streams, so a flit can always proceed. A flit that waits for a slot does
// not delay the flits of other ports (see reduction_unit).
`default_nettype none
module gradient_memory #(
  parameter PORTS = 4,        // ports of the network interface
  parameter LANES = 4,        // words per flit, a power of two, at least 2
  parameter ADDR_W = 24,      // width of a word address
  parameter QUEUE = 32,       // flits that may wait for the reduction unit at each port, a power of two
  parameter BUFFER = 16,      // data requests in flight at each port, a power of two
  parameter BANKS = 4,        // number of AXI4 ports, a power of two, at least 2
  parameter LINE_WORDS = 16,  // words per line and burst, a power of two, at least 2 * LANES
  parameter LINES = 16,       // cache lines per bank, a power of two above 2 * PORTS
  parameter AXI_W = 128,      // width of an AXI4 word, 32 times a power of two, at most FLIT_W
  parameter ADDRESS_W = 44,   // width of an AXI4 address
  // These parameters are derived from the others; do not set them.
  parameter FLIT_W = 32 * LANES,
  parameter STRB_W = AXI_W / 8
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire [ADDRESS_W-13:0]      base_i,  // address of word 0, in units of 4 KiB; constant during a collective
  // Signals of the reduction unit: arriving flits, reads and writes.
  input  wire [PORTS-1:0]           coming_valid_i,
  input  wire [PORTS-1:0]           coming_add_i,
  input  wire [PORTS*ADDR_W-1:0]    coming_address_i,
  input  wire [PORTS*LANES-1:0]     coming_lanes_i,
  output wire [PORTS-1:0]           ready_o,
  input  wire [PORTS-1:0]           read_valid_i,
  output wire [PORTS*FLIT_W-1:0]    read_data_o,
  input  wire [PORTS*LANES-1:0]     sum_lanes_i,
  input  wire [PORTS*FLIT_W-1:0]    sum_data_i,
  input  wire [PORTS-1:0]           store_valid_i,
  input  wire [PORTS*LANES-1:0]     store_lanes_i,
  input  wire [PORTS*FLIT_W-1:0]    store_data_i,
  // Data requests of the network interface, and the data returned.
  input  wire [PORTS-1:0]           dma_valid_i,
  input  wire [PORTS*ADDR_W-1:0]    dma_address_i,
  input  wire [PORTS*LANES-1:0]     dma_lanes_i,
  output wire [PORTS-1:0]           dma_data_valid_o,
  output wire [PORTS*FLIT_W-1:0]    dma_data_o,
  output wire                       busy_o,   // some data has not been written to memory yet
  output wire                       error_o,  // memory answered with an error; sticky until reset
  // AXI4, one port per bank. All bursts are INCR bursts of LINE_WORDS * 32 / AXI_W full words and use the same ID.
  output wire [BANKS*ADDRESS_W-1:0] araddr_o,
  output wire [7:0]                 arlen_o,
  output wire [2:0]                 arsize_o,
  output wire [1:0]                 arburst_o,
  output wire [BANKS-1:0]           arvalid_o,
  input  wire [BANKS-1:0]           arready_i,
  input  wire [BANKS*AXI_W-1:0]     rdata_i,
  input  wire [BANKS*2-1:0]         rresp_i,
  input  wire [BANKS-1:0]           rlast_i,
  input  wire [BANKS-1:0]           rvalid_i,
  output wire [BANKS-1:0]           rready_o,
  output wire [BANKS*ADDRESS_W-1:0] awaddr_o,
  output wire [7:0]                 awlen_o,
  output wire [2:0]                 awsize_o,
  output wire [1:0]                 awburst_o,
  output wire [BANKS-1:0]           awvalid_o,
  input  wire [BANKS-1:0]           awready_i,
  output wire [BANKS*AXI_W-1:0]     wdata_o,
  output wire [BANKS*STRB_W-1:0]    wstrb_o,
  output wire [BANKS-1:0]           wlast_o,
  output wire [BANKS-1:0]           wvalid_o,
  input  wire [BANKS-1:0]           wready_i,
  input  wire [BANKS*2-1:0]         bresp_i,
  input  wire [BANKS-1:0]           bvalid_i,
  output wire [BANKS-1:0]           bready_o
);
  localparam STREAMS = 2 * PORTS;  // the flits of each port, then the data requests of each port
  localparam LINE_W = $clog2(LINE_WORDS);
  localparam SHIFT_W = $clog2(LANES);
  localparam ROW_W = LINE_W - SHIFT_W;
  localparam BANK_W = $clog2(BANKS);
  localparam NUMBER_W = ADDR_W - LINE_W;  // width of a line number
  localparam TAG_W = NUMBER_W - BANK_W;
  localparam PLACE_W = $clog2(LINES);
  // A slot may be pinned by all flits and requests that can wait, and by two that were completed in the last cycle.
  localparam PIN_W = $clog2(PORTS * (QUEUE + BUFFER + 1) + 3);
  localparam TICKET_W = 2 + LINE_W + BANK_W + 2 * PLACE_W;
  localparam BEATS = LINE_WORDS * 32 / AXI_W - 1;
  localparam SIZE = $clog2(STRB_W);

  generate
    if (BANKS < 2 || (1 << BANK_W) != BANKS) begin : g_check_banks
      BANKS_must_be_a_power_of_two_from_2 i_wrong ();
    end
    if (LINE_WORDS < 2 * LANES || (1 << LINE_W) != LINE_WORDS || BEATS > 255 || LINE_WORDS > 1024) begin : g_check_line
      LINE_WORDS_must_be_a_power_of_two_from_two_flits_to_256_words_of_AXI_and_4_KiB i_wrong ();
    end
    if (AXI_W < 32 || AXI_W > FLIT_W || (1 << $clog2(AXI_W)) != AXI_W) begin : g_check_axi
      AXI_W_must_be_a_power_of_two_from_32_to_that_of_a_flit i_wrong ();
    end
  endgenerate

  // Pointer to the stream with the highest priority, as a mask; it rotates.
  reg [STREAMS-1:0] from_q;
  always @(posedge clk_i)
    from_q <= !rst_ni || from_q[STREAMS-2:0] == {(STREAMS - 1){1'b0}} ? {STREAMS{1'b1}} : {from_q[STREAMS-2:0], 1'b0};

  // Signals between streams and banks.
  wire [BANKS*STREAMS-1:0]     touch, touched, read_request, read_grant, reads;
  wire [STREAMS*TAG_W-1:0]     touch_tag;
  wire [STREAMS-1:0]           touch_data;
  wire [BANKS*PLACE_W-1:0]     place;
  wire [BANKS*LINES-1:0]       whole;
  wire [BANKS*STREAMS*PLACE_W-1:0] read_place;
  wire [BANKS*STREAMS*ROW_W-1:0]   read_row;
  wire [BANKS*STREAMS*SHIFT_W-1:0] read_shift;
  wire [BANKS*FLIT_W-1:0]      row;
  wire [BANKS*PORTS-1:0]       store_request, store_grant;
  wire [BANKS*STREAMS-1:0]     writes;       // [bank][source]: the sums of each port, then the stores
  wire [BANKS*STREAMS*PLACE_W-1:0] write_place;
  wire [BANKS*STREAMS*ROW_W-1:0]   write_row;
  wire [BANKS*STREAMS*SHIFT_W-1:0] write_shift;
  wire [BANKS*STREAMS*LANES-1:0]   write_lanes;
  wire [STREAMS*FLIT_W-1:0]    write_data;
  wire [BANKS-1:0]             bank_busy, bank_error;
  wire [STREAMS-1:0]           stream_busy, answer_valid;
  wire [STREAMS*FLIT_W-1:0]    answer;

  genvar s, b, l;
  generate
    for (s = 0; s < STREAMS; s = s + 1) begin : g_stream
      localparam FLITS = s < PORTS;
      localparam PORT = s % PORTS;
      localparam DEPTH = FLITS ? QUEUE : BUFFER;
      localparam DEPTH_W = $clog2(DEPTH);
      wire comes = FLITS ? coming_valid_i[PORT] : dma_valid_i[PORT];
      wire [ADDR_W-1:0] address = FLITS ? coming_address_i[PORT*ADDR_W+:ADDR_W] : dma_address_i[PORT*ADDR_W+:ADDR_W];
      wire [LANES-1:0] lanes = FLITS ? coming_lanes_i[PORT*LANES+:LANES] : dma_lanes_i[PORT*LANES+:LANES];
      wire data = FLITS ? coming_add_i[PORT] : 1'b1;

      // Registers for the first request that still needs a slot: bank and number of the line for which it needs one,
      // and whether its words extend into the next line.
      reg               asks_q, second_q, data_q, crosses_q;  // second_q: the first line has a slot
      reg  [BANKS-1:0]  bank_q;        // bank of the line, one-hot
      reg  [NUMBER_W-1:0] number_q;    // number of the line
      reg  [LINE_W+BANK_W-1:0] at_q;   // offset of the request's words in the first line, and that line's bank
      wire              none, full;
      wire [DEPTH_W:0]  count;
      wire              behind_data, behind_crosses;
      wire [ADDR_W-1:0] behind;
      reg               crosses;
      integer k;
      always @* begin
        crosses = 1'b0;
        for (k = 0; k < LANES; k = k + 1)
          if (lanes[k] && {1'b0, address[LINE_W-1:0]} + k[LINE_W:0] >= LINE_WORDS[LINE_W:0]) crosses = 1'b1;
      end
      wire [BANKS-1:0]  got;
      wire placed = |got && (second_q || !crosses_q);
      wire next = placed || !asks_q;
      fifo #(.WIDTH(2 + ADDR_W), .DEPTH(DEPTH), .ADDR_W(DEPTH_W), .FRONT(1)) i_coming (
        .clk_i(clk_i), .rst_ni(rst_ni), .push_i(comes && !(next && none)), .data_i({data, crosses, address}), .pop_i(next),
        .data_o({behind_data, behind_crosses, behind}), .empty_o(none), .full_o(full), .count_o(count));
      wire              next_data, next_crosses;
      wire [ADDR_W-1:0] next_address;
      assign {next_data, next_crosses, next_address} =
        none ? {data, crosses, address} : {behind_data, behind_crosses, behind};
      always @(posedge clk_i) begin
        if (!rst_ni) asks_q <= 1'b0;
        else if (next) asks_q <= !none || comes;
        if (next) begin
          data_q <= next_data;
          crosses_q <= next_crosses;
          at_q <= next_address[LINE_W+BANK_W-1:0];
          number_q <= next_address[ADDR_W-1:LINE_W];
          bank_q <= {{(BANKS - 1){1'b0}}, 1'b1} << next_address[LINE_W+:BANK_W];
          second_q <= 1'b0;
        end else if (|got) begin
          number_q <= number_q + 1'b1;
          bank_q <= {bank_q[BANKS-2:0], bank_q[BANKS-1]};
          second_q <= 1'b1;
        end
      end
      assign touch_tag[s*TAG_W+:TAG_W] = number_q[NUMBER_W-1:BANK_W];
      assign touch_data[s] = data_q;

      // The request that was allocated its last slot in the previous cycle. The number of this slot is known only now.
      reg                placed_q, placed_data_q, placed_crosses_q;
      reg  [LINE_W+BANK_W-1:0] placed_at_q;
      reg  [BANKS-1:0]   got_q;
      reg  [PLACE_W-1:0] got_place, first_place_q;
      integer g;
      always @* begin
        got_place = {PLACE_W{1'b0}};
        for (g = 0; g < BANKS; g = g + 1) got_place = got_place | (place[g*PLACE_W+:PLACE_W] & {PLACE_W{got_q[g]}});
      end
      always @(posedge clk_i) begin
        placed_q <= rst_ni && placed;
        placed_data_q <= data_q;
        placed_crosses_q <= crosses_q;
        placed_at_q <= at_q;
        got_q <= got;
        if (|got_q) first_place_q <= got_place;
      end

      // Requests that have all their slots wait as tickets. The oldest ticket moves from the queue to a register once
      // its operands have been loaded.
      wire               waits_none, waits_full, needs, straddles;
      wire [DEPTH_W:0]   waits_count;
      wire [LINE_W-1:0]  offset;
      wire [BANK_W-1:0]  bank;
      wire [PLACE_W-1:0] place0, place1;
      wire [TICKET_W-1:0] ticket;
      wire               first_needs, first_straddles;
      wire [BANK_W-1:0]  first_at;
      wire [BANK_W-1:0]  first_next = first_at + 1'b1;
      wire [LINE_W-1:0]  unused_offset;
      wire [PLACE_W-1:0] first_place0, first_place1;
      wire               goes, follows;
      reg                held_q;
      reg  [TICKET_W-1:0] ticket_q;
      reg  [BANKS-1:0]   first_bank_q, its_banks_q;
      fifo #(.WIDTH(TICKET_W), .DEPTH(DEPTH), .ADDR_W(DEPTH_W), .FRONT(1)) i_tickets (
        .clk_i(clk_i), .rst_ni(rst_ni), .push_i(placed_q),
        .data_i({placed_data_q, placed_crosses_q, placed_at_q, placed_crosses_q ? first_place_q : got_place, got_place}),
        .pop_i(follows), .data_o(ticket), .empty_o(waits_none), .full_o(waits_full), .count_o(waits_count));
      assign {first_needs, first_straddles, first_at, unused_offset, first_place0, first_place1} = ticket;
      wire there = whole[{first_at, first_place0}] && (!first_straddles || whole[{first_next, first_place1}]);
      assign follows = !waits_none && (!first_needs || there) && (!held_q || goes);
      wire [BANKS-1:0] first_one = {{(BANKS - 1){1'b0}}, 1'b1} << first_at;
      wire [BANKS-1:0] second_one = {first_one[BANKS-2:0], first_one[BANKS-1]};
      always @(posedge clk_i) begin
        held_q <= rst_ni && (follows || (held_q && !goes));
        if (follows) begin
          ticket_q <= ticket;
          first_bank_q <= first_one;
          its_banks_q <= first_one | (second_one & {BANKS{first_straddles}});
        end
      end
      assign {needs, straddles, bank, offset, place0, place1} = ticket_q;
      wire may_read = held_q && needs;
      wire [ROW_W-1:0]   first_row = offset[LINE_W-1:SHIFT_W];
      wire [SHIFT_W-1:0] shift = offset[SHIFT_W-1:0];
      wire [BANKS-1:0]   read_granted, read_banks;
      for (b = 0; b < BANKS; b = b + 1) begin : g_bank
        localparam AT = b * STREAMS + s;
        assign touch[AT] = asks_q && bank_q[b];
        assign got[b] = touched[AT];
        assign read_request[AT] = may_read && its_banks_q[b];
        assign read_granted[b] = read_grant[AT];
        assign reads[AT] = read_banks[b];
        assign read_place[AT*PLACE_W+:PLACE_W] = first_bank_q[b] ? place0 : place1;
        assign read_row[AT*ROW_W+:ROW_W] = first_bank_q[b] ? first_row : {ROW_W{1'b0}};
        assign read_shift[AT*SHIFT_W+:SHIFT_W] = first_bank_q[b] ? shift : {SHIFT_W{1'b0}};
      end
      wire read_ready = may_read && read_granted == its_banks_q;
      assign read_banks = its_banks_q & {BANKS{goes && needs}};
      assign stream_busy[s] = asks_q || placed_q || !waits_none || held_q;

      // Selects the words that were read in the previous cycle, for each lane.
      reg              read_q, crossed_q;
      reg [BANK_W-1:0] read_bank_q;
      reg [SHIFT_W-1:0] shift_q;
      always @(posedge clk_i) begin
        read_q <= rst_ni && goes && needs;
        if (goes) begin
          crossed_q <= straddles;
          read_bank_q <= bank;
          shift_q <= shift;
        end
      end
      wire [BANK_W-1:0] read_next_q = read_bank_q + 1'b1;
      for (l = 0; l < LANES; l = l + 1) begin : g_lane
        localparam [SHIFT_W-1:0] LANE = l;
        wire [SHIFT_W-1:0] from = LANE + shift_q;
        wire [BANK_W-1:0] from_bank = crossed_q && from < shift_q ? read_next_q : read_bank_q;
        assign answer[(s*LANES+l)*32+:32] = row[{from_bank, from, 5'd0}+:32];
      end
      assign answer_valid[s] = read_q;

      if (FLITS) begin : g_flits
        // A sum is written once the adders' latency has passed since the read; a store is written in the cycle in which
        // it proceeds.
        wire may_store = held_q && !needs;
        wire [BANK_W-1:0] store_next = bank + 1'b1;
        wire [BANKS-1:0] store_granted;
        assign goes = read_valid_i[PORT] || store_valid_i[PORT];
        assign ready_o[PORT] = read_ready || (may_store && store_granted == its_banks_q);
        assign read_data_o[PORT*FLIT_W+:FLIT_W] = answer[s*FLIT_W+:FLIT_W];
        localparam STAGES = 4;
        localparam SUM_W = 1 + LINE_W + BANK_W + 2 * PLACE_W;
        reg  [STAGES-1:0]       sums_q;
        reg  [STAGES*SUM_W-1:0] sum_q;
        always @(posedge clk_i) begin
          sums_q <= rst_ni ? {sums_q[STAGES-2:0], read_valid_i[PORT]} : {STAGES{1'b0}};
          sum_q <= {sum_q[(STAGES-1)*SUM_W-1:0], straddles, bank, offset, place0, place1};
        end
        wire               sum_crosses;
        wire [BANK_W-1:0]  sum_bank;
        wire [LINE_W-1:0]  sum_offset;
        wire [PLACE_W-1:0] sum_place0, sum_place1;
        assign {sum_crosses, sum_bank, sum_offset, sum_place0, sum_place1} = sum_q[(STAGES-1)*SUM_W+:SUM_W];
        wire [BANK_W-1:0] sum_next = sum_bank + 1'b1;
        for (b = 0; b < BANKS; b = b + 1) begin : g_bank
          assign store_request[b*PORTS+PORT] = may_store && its_banks_q[b];
          assign store_granted[b] = store_grant[b*PORTS+PORT];
        end
        wire [BANKS-1:0]         sum_writes, store_writes;
        wire [BANKS*PLACE_W-1:0] sum_places, store_places;
        wire [BANKS*ROW_W-1:0]   sum_rows, store_rows;
        wire [BANKS*SHIFT_W-1:0] sum_shifts, store_shifts;
        wire [BANKS*LANES-1:0]   sum_lanes, store_lanes;
        // Write sources 0 to PORTS - 1 of a bank are sums, and the others are stores.
        memory_write #(.LANES(LANES), .LINE_W(LINE_W), .BANKS(BANKS), .PLACE_W(PLACE_W)) i_sum (
          .valid_i(sums_q[STAGES-1]), .bank_i(sum_bank), .next_i(sum_next), .crosses_i(sum_crosses), .offset_i(sum_offset),
          .place0_i(sum_place0), .place1_i(sum_place1), .lanes_i(sum_lanes_i[PORT*LANES+:LANES]),
          .data_i(sum_data_i[PORT*FLIT_W+:FLIT_W]), .valid_o(sum_writes), .place_o(sum_places), .row_o(sum_rows),
          .shift_o(sum_shifts), .lanes_o(sum_lanes), .data_o(write_data[PORT*FLIT_W+:FLIT_W]));
        memory_write #(.LANES(LANES), .LINE_W(LINE_W), .BANKS(BANKS), .PLACE_W(PLACE_W)) i_store (
          .valid_i(store_valid_i[PORT]), .bank_i(bank), .next_i(store_next), .crosses_i(straddles), .offset_i(offset),
          .place0_i(place0), .place1_i(place1), .lanes_i(store_lanes_i[PORT*LANES+:LANES]),
          .data_i(store_data_i[PORT*FLIT_W+:FLIT_W]), .valid_o(store_writes), .place_o(store_places), .row_o(store_rows),
          .shift_o(store_shifts), .lanes_o(store_lanes), .data_o(write_data[(PORTS+PORT)*FLIT_W+:FLIT_W]));
        for (b = 0; b < BANKS; b = b + 1) begin : g_write
          localparam SUM = b * STREAMS + PORT;
          localparam STORE = SUM + PORTS;
          assign writes[SUM] = sum_writes[b];
          assign writes[STORE] = store_writes[b];
          assign write_place[SUM*PLACE_W+:PLACE_W] = sum_places[b*PLACE_W+:PLACE_W];
          assign write_place[STORE*PLACE_W+:PLACE_W] = store_places[b*PLACE_W+:PLACE_W];
          assign write_row[SUM*ROW_W+:ROW_W] = sum_rows[b*ROW_W+:ROW_W];
          assign write_row[STORE*ROW_W+:ROW_W] = store_rows[b*ROW_W+:ROW_W];
          assign write_shift[SUM*SHIFT_W+:SHIFT_W] = sum_shifts[b*SHIFT_W+:SHIFT_W];
          assign write_shift[STORE*SHIFT_W+:SHIFT_W] = store_shifts[b*SHIFT_W+:SHIFT_W];
          assign write_lanes[SUM*LANES+:LANES] = sum_lanes[b*LANES+:LANES];
          assign write_lanes[STORE*LANES+:LANES] = store_lanes[b*LANES+:LANES];
        end
        wire unused = answer_valid[s];  // the reduction unit knows when its words arrive
      end else begin : g_requests
        assign goes = read_ready;
        assign dma_data_valid_o[PORT] = answer_valid[s];
        assign dma_data_o[PORT*FLIT_W+:FLIT_W] = answer[s*FLIT_W+:FLIT_W];
      end
      // These signals are unused because the queues have room for all flits and requests that can wait at the network
      // interface.
      wire unused_counts = &{1'b0, full, count, waits_full, waits_count, unused_offset};
    end

    for (b = 0; b < BANKS; b = b + 1) begin : g_bank
      memory_bank #(
        .PORTS(PORTS), .LANES(LANES), .LINE_WORDS(LINE_WORDS), .LINES(LINES), .TAG_W(TAG_W), .PIN_W(PIN_W), .AXI_W(AXI_W),
        .ADDRESS_W(ADDRESS_W), .BANKS(BANKS), .BANK(b)
      ) i_bank (
        .clk_i(clk_i), .rst_ni(rst_ni), .base_i(base_i), .from_i(from_q), .touch_i(touch[b*STREAMS+:STREAMS]),
        .touch_tag_i(touch_tag), .touch_data_i(touch_data), .touched_o(touched[b*STREAMS+:STREAMS]),
        .place_o(place[b*PLACE_W+:PLACE_W]), .whole_o(whole[b*LINES+:LINES]),
        .read_request_i(read_request[b*STREAMS+:STREAMS]), .read_grant_o(read_grant[b*STREAMS+:STREAMS]),
        .read_i(reads[b*STREAMS+:STREAMS]), .read_place_i(read_place[b*STREAMS*PLACE_W+:STREAMS*PLACE_W]),
        .read_row_i(read_row[b*STREAMS*ROW_W+:STREAMS*ROW_W]),
        .read_shift_i(read_shift[b*STREAMS*SHIFT_W+:STREAMS*SHIFT_W]), .read_data_o(row[b*FLIT_W+:FLIT_W]),
        .store_request_i(store_request[b*PORTS+:PORTS]), .store_grant_o(store_grant[b*PORTS+:PORTS]),
        .write_i(writes[b*STREAMS+:STREAMS]), .write_place_i(write_place[b*STREAMS*PLACE_W+:STREAMS*PLACE_W]),
        .write_row_i(write_row[b*STREAMS*ROW_W+:STREAMS*ROW_W]),
        .write_shift_i(write_shift[b*STREAMS*SHIFT_W+:STREAMS*SHIFT_W]),
        .write_lanes_i(write_lanes[b*STREAMS*LANES+:STREAMS*LANES]), .write_data_i(write_data),
        .busy_o(bank_busy[b]), .error_o(bank_error[b]), .araddr_o(araddr_o[b*ADDRESS_W+:ADDRESS_W]),
        .arvalid_o(arvalid_o[b]), .arready_i(arready_i[b]), .rdata_i(rdata_i[b*AXI_W+:AXI_W]), .rresp_i(rresp_i[b*2+:2]),
        .rlast_i(rlast_i[b]), .rvalid_i(rvalid_i[b]), .rready_o(rready_o[b]), .awaddr_o(awaddr_o[b*ADDRESS_W+:ADDRESS_W]),
        .awvalid_o(awvalid_o[b]), .awready_i(awready_i[b]), .wdata_o(wdata_o[b*AXI_W+:AXI_W]),
        .wstrb_o(wstrb_o[b*STRB_W+:STRB_W]), .wlast_o(wlast_o[b]), .wvalid_o(wvalid_o[b]), .wready_i(wready_i[b]),
        .bresp_i(bresp_i[b*2+:2]), .bvalid_i(bvalid_i[b]), .bready_o(bready_o[b]));
    end
  endgenerate

  assign arlen_o = BEATS[7:0];
  assign awlen_o = BEATS[7:0];
  assign arsize_o = SIZE[2:0];
  assign awsize_o = SIZE[2:0];
  assign arburst_o = 2'd1;
  assign awburst_o = 2'd1;
  assign busy_o = |{bank_busy, stream_busy};
  assign error_o = |bank_error;
endmodule
`default_nettype wire

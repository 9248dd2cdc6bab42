// Adds arriving partial sums to the gradient buffer, a flit a cycle and port, or stores arriving final values.
// A flit that comes in cycle t reads its words in t (they come in t + 1) and its sums are written in t + 3, to be
// read from t + 4 on; a store is written in t.
//
// A flit whose words overlap those of a sum under way, or of a lower port's flit, waits in its port's queue until that is
// written: at most four cycles for each other flit that is added to the same words. The oldest of a queue goes on as soon
// as it can; in a cycle in which it cannot, a flit that comes to be added passes those that wait, unless one of them is to
// be stored: two messages for the same words, on any ports and at any rates, do not hold each other back for longer than
// they meet. A message's arrival counts when the sums of its flits are written, if none
// waited: DMA requests are told (dma_conflict_o) when one that did wait, and that they would read, is not written.
// With WAITS a memory stands behind that says which port may read or store in a cycle (ready_i): only the oldest of its queue then
// goes on, in the order in which flits came, and holds up no other port in cycles in which it may not.
// overflow_o tells, for good, that a flit came to a full queue and was lost: credit_return keeps that from happening.
// Lanes are the first ones of a flit, one at least.
`default_nettype none
module reduction_unit #(
  parameter PORTS = 4,
  parameter FLIT_W = 128,  // bits of a flit
  parameter LANES = 4,     // words of a flit
  parameter ADDR_W = 24,   // bits of an address, in words
  parameter QUEUE = 16,    // flits that wait at a port, a power of two
  parameter QUEUE_W = 4,   // log2(QUEUE)
  parameter WAITS = 0      // 1: flits wait for ready_i
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire [1:0]              type_i,  // 0: fp32, 1: bf16, 2: int32
  input  wire [PORTS-1:0]        valid_i,
  input  wire [PORTS-1:0]        add_i,
  input  wire [PORTS*ADDR_W-1:0] address_i,
  input  wire [PORTS*LANES-1:0]  lanes_i,
  input  wire [PORTS*FLIT_W-1:0] data_i,
  input  wire [PORTS-1:0]        ready_i,
  output wire [PORTS-1:0]        read_valid_o,
  output wire [PORTS*ADDR_W-1:0] read_address_o,
  input  wire [PORTS*FLIT_W-1:0] read_data_i,   // of the cycle before
  output wire [PORTS-1:0]        sum_valid_o,
  output wire [PORTS*ADDR_W-1:0] sum_address_o,
  output wire [PORTS*LANES-1:0]  sum_lanes_o,
  output wire [PORTS*FLIT_W-1:0] sum_data_o,
  output wire [PORTS-1:0]        store_valid_o,
  output wire [PORTS*ADDR_W-1:0] store_address_o,
  output wire [PORTS*LANES-1:0]  store_lanes_o,
  output wire [PORTS*FLIT_W-1:0] store_data_o,
  input  wire [PORTS-1:0]        dma_valid_i,
  input  wire [PORTS*ADDR_W-1:0] dma_address_i,
  input  wire [PORTS*LANES-1:0]  dma_lanes_i,
  output reg  [PORTS-1:0]        dma_conflict_o,
  output wire [PORTS*(QUEUE_W+1)-1:0] waiting_o,  // flits in the queues
  output wire                    busy_o,
  output wire                    overflow_o
);
  localparam LANE_W = $clog2(LANES);
  localparam PAIR_W = ADDR_W - LANE_W - 1;  // bits of the number of two lines, each of LANES words
  localparam HALF_W = PAIR_W + LANES;
  localparam WORDS_W = 2 * HALF_W;
  localparam LOW_W = LANE_W + 1;         // bits of an address below the number of two lines
  localparam REST_W = LANES + LOW_W;     // lanes of a flit and the lowest bits of its address, that go with its words

  // The oldest of each port's queue, and what goes on of each port: that, or the flit that comes.
  wire [PORTS-1:0]        queued, go_old, go_new, go_add;
  wire [PORTS*WORDS_W-1:0] comes_words;
  reg  [PORTS*WORDS_W-1:0] oldest_words_q;
  wire [PORTS*ADDR_W-1:0] go_address;
  wire [PORTS*LANES-1:0]  go_lanes;
  wire [PORTS*FLIT_W-1:0] go_data;
  wire [PORTS-1:0]        go = go_old | go_new;
  wire [PORTS-1:0]        over;
  reg                     overflow_q;

  // Sums under way: one, two and three cycles after their read.
  reg [PORTS-1:0]        first_q, second_q, third_q;
  reg [PORTS*WORDS_W-1:0] first_words_q, second_words_q, third_words_q;
  reg [PORTS*REST_W-1:0] first_rest_q, second_rest_q, third_rest_q;
  reg [PORTS*FLIT_W-1:0] first_data_q;

  // The words of a flit, by the odd and the even line of which it can have some, whichever of them comes first: {pair of the
  // odd line, words of it, pair of the even line, words of it}.
  function [WORDS_W-1:0] words_of(input [ADDR_W-1:0] address, input [LANES-1:0] lanes);
    reg [PAIR_W-1:0]  pair;
    reg [2*LANES-1:0] words;
    begin
      pair = address[ADDR_W-1:LANE_W+1];
      words = {{LANES{1'b0}}, lanes} << address[LANE_W-1:0];
      words_of = address[LANE_W] ? {pair, words[LANES-1:0], pair + 1'b1, words[2*LANES-1:LANES]} :
                                   {pair, words[2*LANES-1:LANES], pair, words[LANES-1:0]};
    end
  endfunction
  // The address: the odd line's pair is its own.
  function [ADDR_W-1:0] address_of(input [PAIR_W-1:0] odd_pair, input [LOW_W-1:0] low);
    address_of = {odd_pair, low};
  endfunction
  // Whether two flits share a word: of the odd lines or of the even ones.
  function overlap(input [WORDS_W-1:0] a, input [WORDS_W-1:0] b);
    overlap = (a[LANES+:PAIR_W] == b[LANES+:PAIR_W] && |(a[0+:LANES] & b[0+:LANES])) ||
              (a[HALF_W+LANES+:PAIR_W] == b[HALF_W+LANES+:PAIR_W] && |(a[HALF_W+:LANES] & b[HALF_W+:LANES]));
  endfunction

  // A flit is free to go on unless words of it are in a sum under way or in a flit at a lower port. Flits: the oldest of the
  // queues, then those that come; sums: by age, then by port.
  wire [2*PORTS-1:0] there = WAITS != 0 ? {{PORTS{1'b0}}, queued & ready_i} : {valid_i, queued};
  wire [3*PORTS-1:0] sums = {third_q, second_q, first_q};
  wire [2*PORTS*WORDS_W-1:0] there_words = {comes_words, oldest_words_q};
  wire [3*PORTS*WORDS_W-1:0] sums_words = {third_words_q, second_words_q, first_words_q};
  reg  [2*PORTS-1:0] free;
  wire [PORTS-1:0]   free_old = free[PORTS-1:0];
  wire [PORTS-1:0]   free_new = free[2*PORTS-1:PORTS];
  genvar n;
  generate
    for (n = 0; n < PORTS; n = n + 1) begin : g_comes
      assign comes_words[n*WORDS_W+:WORDS_W] = words_of(address_i[n*ADDR_W+:ADDR_W], lanes_i[n*LANES+:LANES]);
    end
  endgenerate
  integer f, k;
  always @* begin
    free = there;
    for (f = 0; f < 2 * PORTS; f = f + 1) begin
      if (there[f]) begin
        for (k = 0; k < 3 * PORTS; k = k + 1) begin
          if (sums[k]) begin
            if (overlap(there_words[f*WORDS_W+:WORDS_W], sums_words[k*WORDS_W+:WORDS_W])) free[f] = 1'b0;
          end
        end
        for (k = 0; k < 2 * PORTS; k = k + 1) begin
          if (k % PORTS < f % PORTS && there[k]) begin
            if (overlap(there_words[f*WORDS_W+:WORDS_W], there_words[k*WORDS_W+:WORDS_W])) free[f] = 1'b0;
          end
        end
      end
    end
  end

  // Sums under way of flits that have waited, and requests that would read those or flits that wait.
  reg  [PORTS-1:0]       first_late_q, second_late_q, third_late_q;
  wire any_late = |{queued, first_late_q, second_late_q, third_late_q};
  wire [PORTS*PORTS-1:0] dma_hits;  // [port][requester]
  wire [PORTS*WORDS_W-1:0] dma_words;
  integer o;
  always @* begin
    dma_conflict_o = {PORTS{1'b0}};
    for (o = 0; o < PORTS; o = o + 1) dma_conflict_o = dma_conflict_o | dma_hits[o*PORTS+:PORTS];
  end

  genvar g, l;
  generate
    for (g = 0; g < PORTS; g = g + 1) begin : g_dma
      assign dma_words[g*WORDS_W+:WORDS_W] = words_of(dma_address_i[g*ADDR_W+:ADDR_W], dma_lanes_i[g*LANES+:LANES]);
    end
    for (g = 0; g < PORTS; g = g + 1) begin : g_port
      // The queue. Whether a flit that comes is kept is known late: it is written in any case, and counts a cycle later, as kept_q.
      reg [FLIT_W-1:0] queue_q [0:QUEUE-1];
      reg [QUEUE*ADDR_W-1:0] queue_address_q;
      reg [QUEUE*LANES-1:0]  queue_lanes_q;
      reg [QUEUE-1:0]   queue_add_q;
      reg               kept_q, kept_store_q;
      reg [QUEUE-1:0]   there_q;             // places that hold a flit, without that of kept_q
      reg [QUEUE-1:0]   head_place_q, last_place_q;  // one-hot: the oldest, and what was written in the cycle before
      reg [QUEUE_W-1:0] head_q, last_q;      // the same places by number
      reg [QUEUE_W:0]   count_q, stores_q;   // flits, and those of them to be stored, without that of kept_q
      reg               some_q, two_q, store_waits_q;  // of them: one, two, one to be stored
      reg               oldest_add_q;
      wire [QUEUE-1:0]   holds = there_q | (last_place_q & {QUEUE{kept_q}});
      wire [QUEUE-1:0]   tail_place = kept_q ? {last_place_q[QUEUE-2:0], last_place_q[QUEUE-1]} : last_place_q;
      wire [QUEUE-1:0]   next_place = {head_place_q[QUEUE-2:0], head_place_q[QUEUE-1]};
      wire [QUEUE_W-1:0] tail = last_q + {{(QUEUE_W-1){1'b0}}, kept_q};
      wire [QUEUE_W:0]   count = count_q + {{QUEUE_W{1'b0}}, kept_q};
      wire [QUEUE_W:0]   stores = stores_q + {{QUEUE_W{1'b0}}, kept_store_q};
      wire more = two_q || (some_q && kept_q);  // than one
      wire no_stores = !store_waits_q && !kept_store_q;
      wire pop = go_old[g];
      wire push = valid_i[g] && !go_new[g];
      wire room = !count[QUEUE_W] || pop;
      wire write = valid_i[g] && room;  // where it finds no room it goes on, or is lost
      wire [QUEUE_W:0] count_left = count - {{QUEUE_W{1'b0}}, 1'b1};
      wire [QUEUE_W:0] stores_left = stores - {{QUEUE_W{1'b0}}, 1'b1};

      // The one behind the oldest.
      reg [ADDR_W-1:0] next_address;
      reg [LANES-1:0]  next_lanes;
      reg              next_add;
      integer e;
      always @* begin
        next_address = {ADDR_W{1'b0}};
        next_lanes = {LANES{1'b0}};
        for (e = 0; e < QUEUE; e = e + 1) begin
          next_address = next_address | (queue_address_q[e*ADDR_W+:ADDR_W] & {ADDR_W{next_place[e]}});
          next_lanes = next_lanes | (queue_lanes_q[e*LANES+:LANES] & {LANES{next_place[e]}});
        end
        next_add = |(queue_add_q & next_place);
      end

      reg  [REST_W-1:0]  oldest_rest_q;
      wire [REST_W-1:0]  rest = {lanes_i[g*LANES+:LANES], address_i[g*ADDR_W+:LOW_W]};
      wire [WORDS_W-1:0] words = comes_words[g*WORDS_W+:WORDS_W];
      wire [WORDS_W-1:0] go_words = go_old[g] ? oldest_words_q[g*WORDS_W+:WORDS_W] : words;
      wire [REST_W-1:0]  go_rest = go_old[g] ? oldest_rest_q : rest;
      assign waiting_o[g*(QUEUE_W+1)+:QUEUE_W+1] = count;
      assign queued[g] = some_q || kept_q;
      assign go_old[g] = free_old[g];
      assign go_new[g] = free_new[g] && (!queued[g] || (!free_old[g] && add_i[g] && no_stores));
      assign go_add[g] = go_old[g] ? oldest_add_q : add_i[g];
      assign go_data[g*FLIT_W+:FLIT_W] = go_old[g] ? queue_q[head_q] : data_i[g*FLIT_W+:FLIT_W];
      assign go_address[g*ADDR_W+:ADDR_W] = address_of(go_words[WORDS_W-1-:PAIR_W], go_rest[LOW_W-1:0]);
      assign go_lanes[g*LANES+:LANES] = go_rest[LOW_W+:LANES];
      assign over[g] = push && !room;
      integer s;
      always @(posedge clk_i) begin
        if (write) queue_q[tail] <= data_i[g*FLIT_W+:FLIT_W];
        for (s = 0; s < QUEUE; s = s + 1) begin
          if (write && tail_place[s]) begin
            queue_address_q[s*ADDR_W+:ADDR_W] <= address_i[g*ADDR_W+:ADDR_W];
            queue_lanes_q[s*LANES+:LANES] <= lanes_i[g*LANES+:LANES];
            queue_add_q[s] <= add_i[g];
          end
        end
        // What comes while nothing else waits is the oldest, if it is kept.
        if (pop && more) begin
          oldest_words_q[g*WORDS_W+:WORDS_W] <= words_of(next_address, next_lanes);
          oldest_rest_q <= {next_lanes, next_address[LOW_W-1:0]};
          oldest_add_q <= next_add;
        end else if (pop || !queued[g]) begin
          oldest_words_q[g*WORDS_W+:WORDS_W] <= words;
          oldest_rest_q <= rest;
          oldest_add_q <= add_i[g];
        end
      end
      wire [2:0]         late = {third_late_q[g], second_late_q[g], first_late_q[g]};
      reg  [PORTS-1:0]   hits;
      reg  [WORDS_W-1:0] waits;
      integer d, w;
      always @* begin
        hits = {PORTS{1'b0}};
        waits = {WORDS_W{1'b0}};
        if (any_late && |dma_valid_i) begin
          for (w = 0; w < 3; w = w + 1) begin
            for (d = 0; d < PORTS; d = d + 1) begin
              if (late[w] && overlap(dma_words[d*WORDS_W+:WORDS_W], sums_words[(w*PORTS+g)*WORDS_W+:WORDS_W])) hits[d] = 1'b1;
            end
          end
          for (w = 0; w < QUEUE; w = w + 1) begin
            if (holds[w]) begin
              waits = words_of(queue_address_q[w*ADDR_W+:ADDR_W], queue_lanes_q[w*LANES+:LANES]);
              for (d = 0; d < PORTS; d = d + 1) begin
                if (overlap(dma_words[d*WORDS_W+:WORDS_W], waits)) hits[d] = 1'b1;
              end
            end
          end
        end
        hits = hits & dma_valid_i;
      end
      assign dma_hits[g*PORTS+:PORTS] = hits;
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          kept_q <= 1'b0;
          kept_store_q <= 1'b0;
          there_q <= {QUEUE{1'b0}};
          head_place_q <= {{(QUEUE-1){1'b0}}, 1'b1};
          last_place_q <= {{(QUEUE-1){1'b0}}, 1'b1};
          head_q <= {QUEUE_W{1'b0}};
          last_q <= {QUEUE_W{1'b0}};
          count_q <= {(QUEUE_W + 1){1'b0}};
          stores_q <= {(QUEUE_W + 1){1'b0}};
          some_q <= 1'b0;
          two_q <= 1'b0;
          store_waits_q <= 1'b0;
        end else begin
          kept_q <= push && room;
          kept_store_q <= push && room && !add_i[g];
          there_q <= pop ? holds & ~head_place_q : holds;
          last_place_q <= tail_place;
          last_q <= tail;
          if (pop) head_place_q <= next_place;
          if (pop) head_q <= head_q + 1'b1;
          count_q <= pop ? count_left : count;
          some_q <= pop ? more : queued[g];
          two_q <= pop ? count_left > {{QUEUE_W{1'b0}}, 1'b1} : more;
          stores_q <= pop && !oldest_add_q ? stores_left : stores;
          store_waits_q <= pop && !oldest_add_q ? stores_left != {(QUEUE_W + 1){1'b0}} : !no_stores;
        end
      end
      // What does not go on is there for nothing: whether it does is known late.
      always @(posedge clk_i) begin
        if (queued[g] || valid_i[g]) begin
          first_words_q[g*WORDS_W+:WORDS_W] <= go_words;
          first_rest_q[g*REST_W+:REST_W] <= go_rest;
          first_data_q[g*FLIT_W+:FLIT_W] <= go_data[g*FLIT_W+:FLIT_W];
        end
        if (first_q[g]) begin
          second_words_q[g*WORDS_W+:WORDS_W] <= first_words_q[g*WORDS_W+:WORDS_W];
          second_rest_q[g*REST_W+:REST_W] <= first_rest_q[g*REST_W+:REST_W];
        end
        if (second_q[g]) begin
          third_words_q[g*WORDS_W+:WORDS_W] <= second_words_q[g*WORDS_W+:WORDS_W];
          third_rest_q[g*REST_W+:REST_W] <= second_rest_q[g*REST_W+:REST_W];
        end
      end
      assign sum_address_o[g*ADDR_W+:ADDR_W] =
        address_of(third_words_q[g*WORDS_W+WORDS_W-1-:PAIR_W], third_rest_q[g*REST_W+:LOW_W]);
      assign sum_lanes_o[g*LANES+:LANES] = third_rest_q[g*REST_W+LOW_W+:LANES];
      for (l = 0; l < LANES; l = l + 1) begin : g_lane
        reduction_lane i_lane (
          .clk_i(clk_i), .valid_i(first_q[g]), .next_i(second_q[g]), .type_i(type_i),
          .a_i(read_data_i[g*FLIT_W+l*32+:32]), .b_i(first_data_q[g*FLIT_W+l*32+:32]),
          .sum_o(sum_data_o[g*FLIT_W+l*32+:32]));
      end
    end
  endgenerate

  assign read_valid_o = go & go_add;
  assign read_address_o = go_address;
  assign store_valid_o = go & ~go_add;
  assign store_address_o = go_address;
  assign store_lanes_o = go_lanes;
  assign store_data_o = go_data;
  assign sum_valid_o = third_q;
  assign busy_o = |{queued, first_q, second_q, third_q};
  assign overflow_o = overflow_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= {PORTS{1'b0}};
      second_q <= {PORTS{1'b0}};
      third_q <= {PORTS{1'b0}};
      first_late_q <= {PORTS{1'b0}};
      second_late_q <= {PORTS{1'b0}};
      third_late_q <= {PORTS{1'b0}};
      overflow_q <= 1'b0;
    end else begin
      first_q <= read_valid_o;
      second_q <= first_q;
      third_q <= second_q;
      first_late_q <= read_valid_o & go_old;
      second_late_q <= first_late_q;
      third_late_q <= second_late_q;
      overflow_q <= overflow_q || |over;
    end
  end
endmodule
`default_nettype wire

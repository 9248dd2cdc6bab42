// Adds arriving partial sums to the gradient buffer, or stores arriving final values, at a rate of one flit per cycle
// and port. If a flit to be added arrives in cycle t, its words in the buffer are requested in t and enter a register
// in front of the adders in t + 1. The sums are written in t + 4 and can be read from t + 5 on. A flit to be stored is
// written in t.
//
// A flit waits in its port's queue while its words overlap those of a pending sum or of a flit at a port with a lower
// number. It waits for at most five cycles per other flit that is added to the same words. The oldest flit of a queue
// proceeds as soon as it can. While it cannot, an arriving flit that is to be added may overtake the waiting flits,
// unless one of them is to be stored. Two messages for the same words therefore delay each other only while they
// overlap, whatever their ports and rates.
//
// If none of a message's flits waited, the message counts as arrived when its sums are written, and its data may be
// requested one cycle later. If a flit did wait, dma_conflict_o holds back all DMA requests that would read its words
// too early. For this comparison, the unit receives each request at least one cycle in advance (dma_next_i) and stores
// its comparison key.
//
// With WAITS, the memory decides in each cycle which ports may read or store (ready_i). The flits of each port then
// proceed in arrival order, and a flit that cannot proceed does not delay other ports. overflow_o, sticky until reset,
// reports that a flit was lost because a queue was full, which credit_return prevents. A flit's words occupy
// consecutive lanes beginning with lane 0, which is always used.
`default_nettype none
module reduction_unit #(
  parameter PORTS = 4,
  parameter FLIT_W = 128,  // flit width
  parameter LANES = 4,     // words per flit
  parameter VCS = 1,       // virtual channels; each has inputs for the address and lanes of its next flit
  parameter ADDR_W = 24,   // width of a word address
  parameter QUEUE = 16,    // flits that may wait at each port, a power of two
  parameter QUEUE_W = 4,   // log2(QUEUE)
  parameter WAITS = 0,     // 1: flits wait for ready_i
  parameter GATES = 0      // 1: gates the clocks of idle parts
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire [1:0]              type_i,  // element type; 0: fp32, 1: bf16, 2: int32
  input  wire [PORTS-1:0]        valid_i,
  input  wire [PORTS-1:0]        add_i,
  // [port], one-hot: the virtual channel of the arriving flit, which selects the flit's address and lanes.
  input  wire [PORTS*VCS-1:0]    vc_i,
  input  wire [PORTS*VCS*ADDR_W-1:0] address_i,
  input  wire [PORTS*VCS*LANES-1:0]  lanes_i,
  input  wire [PORTS*FLIT_W-1:0] data_i,
  input  wire [PORTS-1:0]        ready_i,
  output wire [PORTS-1:0]        read_valid_o,
  output wire [PORTS*ADDR_W-1:0] read_address_o,
  input  wire [PORTS*FLIT_W-1:0] read_data_i,   // the words that were requested in the previous cycle
  output wire [PORTS-1:0]        sum_valid_o,
  output wire [PORTS*ADDR_W-1:0] sum_address_o,
  output wire [PORTS*LANES-1:0]  sum_lanes_o,
  output wire [PORTS*FLIT_W-1:0] sum_data_o,
  output wire [PORTS-1:0]        store_valid_o,
  output wire [PORTS*ADDR_W-1:0] store_address_o,
  output wire [PORTS*LANES-1:0]  store_lanes_o,
  output wire [PORTS*FLIT_W-1:0] store_data_o,
  input  wire [PORTS-1:0]        dma_valid_i,
  input  wire [PORTS-1:0]        dma_next_i,    // in the next cycle, the port will request the words described below
  input  wire [PORTS*ADDR_W-1:0] dma_next_address_i,
  input  wire [PORTS*LANES-1:0]  dma_next_lanes_i,
  output reg  [PORTS-1:0]        dma_conflict_o,
  output wire [PORTS*(QUEUE_W+1)-1:0] waiting_o,  // per port: number of flits in its queue
  output wire                    busy_o,
  output wire                    overflow_o
);
  localparam LANE_W = $clog2(LANES);
  localparam LINE_W = ADDR_W - LANE_W;  // width of a line number; a line is LANES aligned words
  localparam KEY_W = LINE_W - 1;
  localparam MAP_W = 4 * LANES;
  localparam SEEN_W = KEY_W + MAP_W;
  localparam SOUGHT_W = 2 * KEY_W + MAP_W;
  localparam PLACE_W = LANES + ADDR_W;  // width of a flit's {lanes, address}

  // Registers for the oldest flit of each port's queue and its comparison pattern, and wires for the flit that proceeds
  // at each port, which is either the oldest flit or the arriving one.
  wire [PORTS-1:0]        queued, go_old, go_new, go_add;
  wire [PORTS*SOUGHT_W-1:0] comes_sought;
  /* verilator lint_off MULTIDRIVEN */  // with GATES, different bits of these registers have different clocks
  reg  [PORTS*PLACE_W-1:0] oldest_place_q;
  reg  [PORTS*SOUGHT_W-1:0] oldest_sought_q, dma_sought_q;
  wire [PORTS*FLIT_W-1:0] go_data;
  wire [PORTS-1:0]        go = go_old | go_new;
  wire [PORTS-1:0]        over;
  reg                     overflow_q;

  // Pipeline of pending sums: read_q while the words arrive, then first_q, second_q and third_q in the following
  // cycles.
  reg [PORTS-1:0]        read_q, first_q, second_q, third_q;
  reg [PORTS*PLACE_W-1:0] read_place_q, first_place_q, second_place_q, third_place_q;
  reg [PORTS*SEEN_W-1:0]  read_seen_q, first_seen_q, second_seen_q, third_seen_q;  // comparison keys of the sums
  reg [PORTS*FLIT_W-1:0] read_data_q, first_data_q, words_q;  // data of flits in two stages; words read from the buffer
  /* verilator lint_on MULTIDRIVEN */

  // A flit's words lie in one line or in two consecutive lines, so two flits can share words only if their first lines
  // are equal or adjacent. In Gray code, the number of a line differs from each neighbour's in a single bit: the lowest
  // bit for one neighbour, and the bit step_of(line) for the other. Two lines that agree in all other bits are
  // therefore equal, adjacent or two apart. To tell these cases apart, each flit's words are marked in a map of four
  // lines, which is indexed by the line number modulo four: flits share words if their maps overlap.
  // key_of is the Gray code of a line number without its lowest bit.
  function [KEY_W-1:0] key_of(input [LINE_W-1:1] line);
    key_of = line ^ (line >> 1);
  endfunction
  // The bit, one-hot, in which the Gray codes of a line and of its second neighbour differ; the highest bit if this
  // neighbour does not exist.
  function [KEY_W-1:0] step_of(input [LINE_W-1:0] line);
    reg [KEY_W-1:0] ends;
    begin
      ends = line[LINE_W-1:1] ^ {KEY_W{line[0]}};
      ends[KEY_W-1] = 1'b1;
      step_of = ends & (~ends + {{(KEY_W-1){1'b0}}, 1'b1});
    end
  endfunction
  // Marks a flit's words in the map of four lines.
  function [MAP_W-1:0] map_of(input [LANES-1:0] lanes, input [LANE_W+1:0] address);
    reg [2*LANES-1:0] words;
    integer           i;
    begin
      words = {{LANES{1'b0}}, lanes} << address[LANE_W-1:0];
      for (i = 0; i < 4; i = i + 1)
        map_of[i*LANES+:LANES] = (words[LANES-1:0] & {LANES{address[LANE_W+:2] == i[1:0]}}) |
                                 (words[2*LANES-1:LANES] & {LANES{address[LANE_W+:2] + 2'd1 == i[1:0]}});
    end
  endfunction
  // The comparison key of a flit: {Gray code, map of its words}.
  function [SEEN_W-1:0] seen_of(input [PLACE_W-1:0] place);
    seen_of = {key_of(place[ADDR_W-1:LANE_W+1]), map_of(place[ADDR_W+:LANES], place[LANE_W+1:0])};
  endfunction
  // The pattern for comparing a flit with the keys of other flits: {bits that must be 0 in the key; bits that must be
  // 1; map of the flit's words}.
  function [SOUGHT_W-1:0] sought_of(input [PLACE_W-1:0] place);
    sought_of = {~(key_of(place[ADDR_W-1:LANE_W+1]) | step_of(place[ADDR_W-1:LANE_W])),
                 key_of(place[ADDR_W-1:LANE_W+1]) & ~step_of(place[ADDR_W-1:LANE_W]),
                 map_of(place[ADDR_W+:LANES], place[LANE_W+1:0])};
  endfunction
  function overlap(input [SOUGHT_W-1:0] sought, input [SEEN_W-1:0] seen);
    overlap = ((sought[MAP_W+KEY_W+:KEY_W] & seen[MAP_W+:KEY_W]) |
               (sought[MAP_W+:KEY_W] & ~seen[MAP_W+:KEY_W])) == {KEY_W{1'b0}} &&
              |(sought[MAP_W-1:0] & seen[MAP_W-1:0]);
  endfunction

  // A flit can proceed unless it shares words with a pending sum or with a flit of a lower-numbered port. `free` and
  // `there` contain one bit for the oldest flit of each queue, followed by one for the arriving flit of each port.
  // `sums` contains one bit per port for each stage of pending sums, beginning with the youngest.
  wire [2*PORTS-1:0] there = WAITS != 0 ? {{PORTS{1'b0}}, queued & ready_i} : {valid_i, queued};
  wire [4*PORTS-1:0] sums = {third_q, second_q, first_q, read_q};
  wire [2*PORTS*SEEN_W-1:0] there_seen;
  wire [4*PORTS*SEEN_W-1:0] sums_seen = {third_seen_q, second_seen_q, first_seen_q, read_seen_q};
  reg  [2*PORTS-1:0] free;
  wire [PORTS-1:0]   free_old = free[PORTS-1:0];
  wire [PORTS-1:0]   free_new = free[2*PORTS-1:PORTS];
  reg  [SOUGHT_W-1:0] sought;
  integer f, k;
  always @* begin
    free = there;
    sought = {SOUGHT_W{1'b0}};
    for (f = 0; f < 2 * PORTS; f = f + 1) begin
      if (there[f]) begin
        sought = f < PORTS ? oldest_sought_q[f%PORTS*SOUGHT_W+:SOUGHT_W] : comes_sought[f%PORTS*SOUGHT_W+:SOUGHT_W];
        for (k = 0; k < 4 * PORTS; k = k + 1) begin
          if (sums[k]) begin
            if (overlap(sought, sums_seen[k*SEEN_W+:SEEN_W])) free[f] = 1'b0;
          end
        end
        for (k = 0; k < 2 * PORTS; k = k + 1) begin
          if (k % PORTS < f % PORTS && there[k]) begin
            if (overlap(sought, there_seen[k*SEEN_W+:SEEN_W])) free[f] = 1'b0;
          end
        end
      end
    end
  end

  // A DMA request conflicts if it reads words of a waiting flit, or of a pending sum whose flit had to wait (late).
  reg  [PORTS-1:0]       read_late_q, first_late_q, second_late_q, third_late_q;
  wire any_late = |{queued, read_late_q, first_late_q, second_late_q, third_late_q};
  wire [PORTS*PORTS-1:0] dma_hits;  // one bit per [port of the sum][port of the request]
  integer o;
  always @* begin
    dma_conflict_o = {PORTS{1'b0}};
    for (o = 0; o < PORTS; o = o + 1) dma_conflict_o = dma_conflict_o | dma_hits[o*PORTS+:PORTS];
  end

  genvar g, l;
  generate
    for (g = 0; g < PORTS; g = g + 1) begin : g_dma
      wire dma_clk;
      clock_gate #(.GATES(GATES)) i_dma_gate (.clk_i(clk_i), .enable_i(dma_next_i[g]), .clk_o(dma_clk));
      always @(posedge dma_clk) begin
        if (dma_next_i[g])
          dma_sought_q[g*SOUGHT_W+:SOUGHT_W] <=
            sought_of({dma_next_lanes_i[g*LANES+:LANES], dma_next_address_i[g*ADDR_W+:ADDR_W]});
      end
    end
    for (g = 0; g < PORTS; g = g + 1) begin : g_port
      // The port's queue. It is known only late in a cycle whether an arriving flit must wait, so every arriving flit
      // is written; a flit that must wait is counted in the next cycle, in which kept_q is set.
      reg [FLIT_W-1:0] queue_q [0:QUEUE-1];
      /* verilator lint_off MULTIDRIVEN */
      reg [QUEUE*PLACE_W-1:0] queue_place_q;
      reg [QUEUE-1:0]   queue_add_q;
      /* verilator lint_on MULTIDRIVEN */
      reg               kept_q, kept_store_q;
      reg [QUEUE-1:0]   there_q;             // occupied slots, except the slot counted by kept_q
      reg [QUEUE-1:0]   head_place_q, last_place_q;  // one-hot: slot of the oldest flit; slot written last
      reg [QUEUE_W-1:0] head_q, last_q;      // number of the oldest flit's slot; of the slot written last
      reg [QUEUE_W:0]   count_q, stores_q;   // waiting flits, and stores among them, excluding kept_q
      reg               some_q, two_q, store_waits_q;  // excluding kept_q: flits wait; at least two flits; stores
      reg               oldest_add_q;
      wire [QUEUE-1:0]   holds = there_q | (last_place_q & {QUEUE{kept_q}});
      wire [QUEUE-1:0]   tail_place = kept_q ? {last_place_q[QUEUE-2:0], last_place_q[QUEUE-1]} : last_place_q;
      wire [QUEUE-1:0]   next_place = {head_place_q[QUEUE-2:0], head_place_q[QUEUE-1]};
      wire [QUEUE_W-1:0] tail = last_q + {{(QUEUE_W-1){1'b0}}, kept_q};
      wire [QUEUE_W:0]   count = count_q + {{QUEUE_W{1'b0}}, kept_q};
      wire [QUEUE_W:0]   stores = stores_q + {{QUEUE_W{1'b0}}, kept_store_q};
      wire more = two_q || (some_q && kept_q);  // at least two flits wait
      wire no_stores = !store_waits_q && !kept_store_q;
      wire pop = go_old[g];
      wire push = valid_i[g] && !go_new[g];
      wire room = !count[QUEUE_W];  // ignores a flit that leaves in this cycle, as that is known late
      wire write = valid_i[g] && room;
      wire [QUEUE_W:0] count_left = count - {{QUEUE_W{1'b0}}, 1'b1};
      wire [QUEUE_W:0] stores_left = stores - {{QUEUE_W{1'b0}}, 1'b1};

      // The second-oldest flit; undefined if there is none, which saves simulators the search.
      reg [PLACE_W-1:0] next;
      reg               next_add;
      integer e;
      always @* begin
        {next, next_add} = {(PLACE_W+1){1'bx}};
        if (more) begin
          next = {PLACE_W{1'b0}};
          for (e = 0; e < QUEUE; e = e + 1) next = next | (queue_place_q[e*PLACE_W+:PLACE_W] & {PLACE_W{next_place[e]}});
          next_add = |(queue_add_q & next_place);
        end
      end

      // Keys and patterns are computed for all virtual channels before the arriving flit's virtual channel is known.
      reg [PLACE_W-1:0]  comes, place;
      reg [SEEN_W-1:0]   comes_seen;
      reg [SOUGHT_W-1:0] sought_here;
      integer v;
      always @* begin
        comes = {PLACE_W{1'b0}};
        comes_seen = {SEEN_W{1'b0}};
        sought_here = {SOUGHT_W{1'b0}};
        place = {PLACE_W{1'b0}};
        for (v = 0; v < VCS; v = v + 1) begin
`ifdef VERILATOR
          if (valid_i[g] && vc_i[g*VCS+v])  // the result is unused otherwise
`endif
          begin
            place = {lanes_i[(g*VCS+v)*LANES+:LANES], address_i[(g*VCS+v)*ADDR_W+:ADDR_W]};
            comes = comes | (place & {PLACE_W{vc_i[g*VCS+v]}});
            comes_seen = comes_seen | (seen_of(place) & {SEEN_W{vc_i[g*VCS+v]}});
            sought_here = sought_here | (sought_of(place) & {SOUGHT_W{vc_i[g*VCS+v]}});
          end
        end
      end
      assign comes_sought[g*SOUGHT_W+:SOUGHT_W] = sought_here;
      wire [PLACE_W-1:0] goes = go_old[g] ? oldest_place_q[g*PLACE_W+:PLACE_W] : comes;
      wire [SEEN_W-1:0]  oldest_seen =
        {key_of(oldest_place_q[g*PLACE_W+LANE_W+1+:KEY_W]), oldest_sought_q[g*SOUGHT_W+:MAP_W]};
      wire [SEEN_W-1:0]  goes_seen = go_old[g] ? oldest_seen : comes_seen;
      assign there_seen[g*SEEN_W+:SEEN_W] = oldest_seen;
      assign there_seen[(PORTS+g)*SEEN_W+:SEEN_W] = comes_seen;
      assign waiting_o[g*(QUEUE_W+1)+:QUEUE_W+1] = count;
      assign queued[g] = some_q || kept_q;
      assign go_old[g] = free_old[g];
      assign go_new[g] = free_new[g] && (!queued[g] || (!free_old[g] && add_i[g] && no_stores));
      assign go_add[g] = go_old[g] ? oldest_add_q : add_i[g];
      assign go_data[g*FLIT_W+:FLIT_W] = go_old[g] ? queue_q[head_q] : data_i[g*FLIT_W+:FLIT_W];
      assign over[g] = push && !room;
      // Gated clocks: clk runs while a flit arrives or waits, and the others while a pending sum is in the stages that
      // they serve.
      wire clk, words_clk, late_clk, lane_clk;
      clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || valid_i[g] || queued[g]), .clk_o(clk));
      clock_gate #(.GATES(GATES)) i_words_gate (.clk_i(clk_i), .enable_i(read_q[g]), .clk_o(words_clk));
      clock_gate #(.GATES(GATES)) i_late_gate (.clk_i(clk_i), .enable_i(first_q[g] || second_q[g]), .clk_o(late_clk));
      clock_gate #(.GATES(GATES)) i_lane_gate (
        .clk_i(clk_i), .enable_i(first_q[g] || second_q[g] || third_q[g]), .clk_o(lane_clk));
      genvar s;
      if (GATES != 0) begin : g_gated
        for (s = 0; s < QUEUE; s = s + 1) begin : g_place
          wire place_clk;
          clock_gate #(.GATES(GATES)) i_place_gate (.clk_i(clk), .enable_i(write && tail_place[s]), .clk_o(place_clk));
          always @(posedge place_clk) begin
            queue_place_q[s*PLACE_W+:PLACE_W] <= comes;
            queue_add_q[s] <= add_i[g];
          end
        end
      end else begin : g_free
        integer t;
        always @(posedge clk) begin
          if (write) begin
            for (t = 0; t < QUEUE; t = t + 1) begin
              if (tail_place[t]) begin
                queue_place_q[t*PLACE_W+:PLACE_W] <= comes;
                queue_add_q[t] <= add_i[g];
              end
            end
          end
        end
      end
      always @(posedge clk) begin
        if (write) queue_q[tail] <= data_i[g*FLIT_W+:FLIT_W];
        // A flit that arrives at an empty queue becomes the oldest if it has to wait.
        if (pop && more) begin
          oldest_place_q[g*PLACE_W+:PLACE_W] <= next;
          oldest_sought_q[g*SOUGHT_W+:SOUGHT_W] <= sought_of(next);
          oldest_add_q <= next_add;
        end else if (pop || (valid_i[g] && !queued[g])) begin
          oldest_place_q[g*PLACE_W+:PLACE_W] <= comes;
          oldest_sought_q[g*SOUGHT_W+:SOUGHT_W] <= sought_here;
          oldest_add_q <= add_i[g];
        end
      end
      wire [3:0]         late = {third_late_q[g], second_late_q[g], first_late_q[g], read_late_q[g]};
      reg  [PORTS-1:0]   hits;
      integer d, w;
      always @* begin
        hits = {PORTS{1'b0}};
        if (any_late && |dma_valid_i) begin
          for (w = 0; w < 4; w = w + 1) begin
            if (late[w]) begin
              for (d = 0; d < PORTS; d = d + 1)
                hits[d] = hits[d] ||
                          overlap(dma_sought_q[d*SOUGHT_W+:SOUGHT_W], sums_seen[(w*PORTS+g)*SEEN_W+:SEEN_W]);
            end
          end
          for (w = 0; w < QUEUE; w = w + 1) begin
            if (holds[w]) begin
              for (d = 0; d < PORTS; d = d + 1)
                hits[d] = hits[d] || overlap(dma_sought_q[d*SOUGHT_W+:SOUGHT_W], seen_of(queue_place_q[w*PLACE_W+:PLACE_W]));
            end
          end
        end
        hits = hits & dma_valid_i;
      end
      assign dma_hits[g*PORTS+:PORTS] = hits;
      always @(posedge clk) begin
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
      // These registers are loaded even if the flit does not proceed, since this is known late; they are then unused.
      always @(posedge clk) begin
        if (queued[g] || valid_i[g]) begin
          read_place_q[g*PLACE_W+:PLACE_W] <= goes;
          read_seen_q[g*SEEN_W+:SEEN_W] <= goes_seen;
          read_data_q[g*FLIT_W+:FLIT_W] <= go_data[g*FLIT_W+:FLIT_W];
        end
      end
      always @(posedge words_clk) begin
        if (read_q[g]) begin
          words_q[g*FLIT_W+:FLIT_W] <= read_data_i[g*FLIT_W+:FLIT_W];
          first_place_q[g*PLACE_W+:PLACE_W] <= read_place_q[g*PLACE_W+:PLACE_W];
          first_seen_q[g*SEEN_W+:SEEN_W] <= read_seen_q[g*SEEN_W+:SEEN_W];
          first_data_q[g*FLIT_W+:FLIT_W] <= read_data_q[g*FLIT_W+:FLIT_W];
        end
      end
      always @(posedge late_clk) begin
        if (first_q[g]) begin
          second_place_q[g*PLACE_W+:PLACE_W] <= first_place_q[g*PLACE_W+:PLACE_W];
          second_seen_q[g*SEEN_W+:SEEN_W] <= first_seen_q[g*SEEN_W+:SEEN_W];
        end
        if (second_q[g]) begin
          third_place_q[g*PLACE_W+:PLACE_W] <= second_place_q[g*PLACE_W+:PLACE_W];
          third_seen_q[g*SEEN_W+:SEEN_W] <= second_seen_q[g*SEEN_W+:SEEN_W];
        end
      end
      assign read_address_o[g*ADDR_W+:ADDR_W] = goes[ADDR_W-1:0];
      assign store_address_o[g*ADDR_W+:ADDR_W] = goes[ADDR_W-1:0];
      assign store_lanes_o[g*LANES+:LANES] = goes[ADDR_W+:LANES];
      assign {sum_lanes_o[g*LANES+:LANES], sum_address_o[g*ADDR_W+:ADDR_W]} = third_place_q[g*PLACE_W+:PLACE_W];
      for (l = 0; l < LANES; l = l + 1) begin : g_lane
        reduction_lane #(.GATES(GATES)) i_lane (
          .clk_i(lane_clk), .valid_i(first_q[g]), .next_i(second_q[g]), .type_i(type_i),
          .a_i(words_q[g*FLIT_W+l*32+:32]), .b_i(first_data_q[g*FLIT_W+l*32+:32]),
          .sum_o(sum_data_o[g*FLIT_W+l*32+:32]));
      end
    end
  endgenerate

  assign read_valid_o = go & go_add;
  assign store_valid_o = go & ~go_add;
  assign store_data_o = go_data;
  assign sum_valid_o = third_q;
  assign busy_o = |{queued, read_q, first_q, second_q, third_q};
  assign overflow_o = overflow_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= {PORTS{1'b0}};
      first_q <= {PORTS{1'b0}};
      second_q <= {PORTS{1'b0}};
      third_q <= {PORTS{1'b0}};
      read_late_q <= {PORTS{1'b0}};
      first_late_q <= {PORTS{1'b0}};
      second_late_q <= {PORTS{1'b0}};
      third_late_q <= {PORTS{1'b0}};
      overflow_q <= 1'b0;
    end else begin
      read_q <= read_valid_o;
      first_q <= read_q;
      second_q <= first_q;
      third_q <= second_q;
      read_late_q <= read_valid_o & go_old;
      first_late_q <= read_late_q;
      second_late_q <= first_late_q;
      third_late_q <= second_late_q;
      overflow_q <= overflow_q || |over;
    end
  end
endmodule
`default_nettype wire

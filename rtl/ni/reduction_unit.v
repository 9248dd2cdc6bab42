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
  localparam WORD_W = 1 + FLIT_W;
  localparam LANE_W = $clog2(LANES);
  localparam PAIR_W = ADDR_W - LANE_W - 1;  // bits of the number of two lines, each of LANES words
  localparam HALF_W = PAIR_W + LANES;
  localparam WORDS_W = 2 * HALF_W;

  // The oldest of each port's queue, and what goes on of each port: that, or the flit that comes.
  wire [PORTS-1:0]        queued, go_old, go_new, go_add;
  wire [PORTS*ADDR_W-1:0] oldest_address, go_address;
  wire [PORTS*LANES-1:0]  oldest_lanes, go_lanes;
  wire [PORTS*FLIT_W-1:0] go_data;
  wire [PORTS-1:0]        go = go_old | go_new;
  wire [PORTS-1:0]        over;
  reg                     overflow_q;

  // Sums under way: one, two and three cycles after their read.
  reg [PORTS-1:0]        first_q, second_q, third_q;
  reg [PORTS*ADDR_W-1:0] first_address_q, second_address_q, third_address_q;
  reg [PORTS*LANES-1:0]  first_lanes_q, second_lanes_q, third_lanes_q;
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
  // Whether two flits share a word: of the odd lines or of the even ones.
  function overlap(input [WORDS_W-1:0] a, input [WORDS_W-1:0] b);
    overlap = (a[LANES+:PAIR_W] == b[LANES+:PAIR_W] && |(a[0+:LANES] & b[0+:LANES])) ||
              (a[HALF_W+LANES+:PAIR_W] == b[HALF_W+LANES+:PAIR_W] && |(a[HALF_W+:LANES] & b[HALF_W+:LANES]));
  endfunction

  // A flit is free to go on unless words of it are in a sum under way or in a flit at a lower port. Flits: the oldest of the
  // queues, then those that come; sums: by age, then by port.
  wire [2*PORTS-1:0] there = WAITS != 0 ? {{PORTS{1'b0}}, queued & ready_i} : {valid_i, queued};
  wire [3*PORTS-1:0] sums = {third_q, second_q, first_q};
  wire [2*PORTS*ADDR_W-1:0] there_address = {address_i, oldest_address};
  wire [2*PORTS*LANES-1:0]  there_lanes = {lanes_i, oldest_lanes};
  wire [3*PORTS*ADDR_W-1:0] sums_address = {third_address_q, second_address_q, first_address_q};
  wire [3*PORTS*LANES-1:0]  sums_lanes = {third_lanes_q, second_lanes_q, first_lanes_q};
  wire [2*PORTS*WORDS_W-1:0] there_words;
  wire [3*PORTS*WORDS_W-1:0] sums_words;
  reg  [2*PORTS-1:0] free;
  wire [PORTS-1:0]   free_old = free[PORTS-1:0];
  wire [PORTS-1:0]   free_new = free[2*PORTS-1:PORTS];
  genvar n;
  generate
    for (n = 0; n < 2 * PORTS; n = n + 1) begin : g_there
      assign there_words[n*WORDS_W+:WORDS_W] = words_of(there_address[n*ADDR_W+:ADDR_W], there_lanes[n*LANES+:LANES]);
    end
    for (n = 0; n < 3 * PORTS; n = n + 1) begin : g_sums
      assign sums_words[n*WORDS_W+:WORDS_W] = words_of(sums_address[n*ADDR_W+:ADDR_W], sums_lanes[n*LANES+:LANES]);
    end
  endgenerate
  integer f, k;
  always @* begin
    free = there;
    if (|sums || |(there & (there - 1'b1))) begin
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
      reg [WORD_W-1:0]  queue_q [0:QUEUE-1];
      reg [QUEUE*ADDR_W-1:0] queue_address_q;
      reg [QUEUE*LANES-1:0]  queue_lanes_q;
      reg [QUEUE_W-1:0] head_q;
      reg [QUEUE_W:0]   count_q;
      reg [ADDR_W-1:0]  head_address;
      reg [LANES-1:0]   head_lanes;
      integer e;
      always @* begin
        head_address = {ADDR_W{1'b0}};
        head_lanes = {LANES{1'b0}};
        if (queued[g]) begin
          for (e = 0; e < QUEUE; e = e + 1) begin
            if (head_q == e[QUEUE_W-1:0]) begin
              head_address = queue_address_q[e*ADDR_W+:ADDR_W];
              head_lanes = queue_lanes_q[e*LANES+:LANES];
            end
          end
        end
      end
      wire [QUEUE_W-1:0] tail = head_q + count_q[QUEUE_W-1:0];
      reg  [QUEUE_W:0] stores_q;  // flits that wait to be stored
      wire             oldest_add;
      wire [FLIT_W-1:0] oldest_data;
      wire no_stores = stores_q == {(QUEUE_W + 1){1'b0}};
      wire pop = go_old[g];
      wire push = valid_i[g] && !go_new[g];
      wire store_comes = push && !add_i[g] && !over[g];
      wire store_goes = pop && !oldest_add;

      assign waiting_o[g*(QUEUE_W+1)+:QUEUE_W+1] = count_q;
      assign queued[g] = count_q != {(QUEUE_W + 1){1'b0}};
      assign {oldest_add, oldest_data} = queue_q[head_q];
      assign oldest_address[g*ADDR_W+:ADDR_W] = head_address;
      assign oldest_lanes[g*LANES+:LANES] = head_lanes;
      assign go_old[g] = free_old[g];
      assign go_new[g] = free_new[g] && (!queued[g] || (!free_old[g] && add_i[g] && no_stores));
      assign {go_add[g], go_data[g*FLIT_W+:FLIT_W]} =
        go_old[g] ? {oldest_add, oldest_data} : {add_i[g], data_i[g*FLIT_W+:FLIT_W]};
      assign go_address[g*ADDR_W+:ADDR_W] = go_old[g] ? head_address : address_i[g*ADDR_W+:ADDR_W];
      assign go_lanes[g*LANES+:LANES] = go_old[g] ? head_lanes : lanes_i[g*LANES+:LANES];
      assign over[g] = push && count_q[QUEUE_W] && !pop;
      integer s;
      always @(posedge clk_i) begin
        if (push) begin
          for (s = 0; s < QUEUE; s = s + 1) begin
            if (tail == s[QUEUE_W-1:0]) begin
              queue_address_q[s*ADDR_W+:ADDR_W] <= address_i[g*ADDR_W+:ADDR_W];
              queue_lanes_q[s*LANES+:LANES] <= lanes_i[g*LANES+:LANES];
            end
          end
        end
      end
      // How many flits are before a place of the queue.
      function [QUEUE_W-1:0] age(input [QUEUE_W-1:0] place, input [QUEUE_W-1:0] oldest);
        age = place - oldest;
      endfunction
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
            if ({1'b0, age(w[QUEUE_W-1:0], head_q)} < count_q) begin
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
          head_q <= {QUEUE_W{1'b0}};
          count_q <= {(QUEUE_W + 1){1'b0}};
          stores_q <= {(QUEUE_W + 1){1'b0}};
        end else begin
          if (push) queue_q[tail] <= {add_i[g], data_i[g*FLIT_W+:FLIT_W]};
          if (pop) head_q <= head_q + 1'b1;
          if (push && !pop && !over[g]) count_q <= count_q + 1'b1;
          else if (pop && !push) count_q <= count_q - 1'b1;
          if (store_comes && !store_goes) stores_q <= stores_q + 1'b1;
          else if (store_goes && !store_comes) stores_q <= stores_q - 1'b1;
        end
      end
      always @(posedge clk_i) begin
        if (go[g] && go_add[g]) begin
          first_address_q[g*ADDR_W+:ADDR_W] <= go_address[g*ADDR_W+:ADDR_W];
          first_lanes_q[g*LANES+:LANES] <= go_lanes[g*LANES+:LANES];
          first_data_q[g*FLIT_W+:FLIT_W] <= go_data[g*FLIT_W+:FLIT_W];
        end
        if (first_q[g]) begin
          second_address_q[g*ADDR_W+:ADDR_W] <= first_address_q[g*ADDR_W+:ADDR_W];
          second_lanes_q[g*LANES+:LANES] <= first_lanes_q[g*LANES+:LANES];
        end
        if (second_q[g]) begin
          third_address_q[g*ADDR_W+:ADDR_W] <= second_address_q[g*ADDR_W+:ADDR_W];
          third_lanes_q[g*LANES+:LANES] <= second_lanes_q[g*LANES+:LANES];
        end
      end
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
  assign sum_address_o = third_address_q;
  assign sum_lanes_o = third_lanes_q;
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

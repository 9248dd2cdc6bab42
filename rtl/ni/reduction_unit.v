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
// overflow_o tells, for good, that a flit came to a full queue and was lost: credit_return keeps that from happening. Lanes are the first ones of a flit, one at least.
`default_nettype none
module reduction_unit #(
  parameter PORTS = 4,
  parameter FLIT_W = 128,  // bits of a flit
  parameter LANES = 4,     // words of a flit
  parameter ADDR_W = 24,   // bits of an address, in words
  parameter QUEUE = 16,    // flits that wait at a port, a power of two
  parameter QUEUE_W = 4    // log2(QUEUE)
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire [1:0]              type_i,  // 0: fp32, 1: bf16, 2: int32
  input  wire [PORTS-1:0]        valid_i,
  input  wire [PORTS-1:0]        add_i,
  input  wire [PORTS*ADDR_W-1:0] address_i,
  input  wire [PORTS*LANES-1:0]  lanes_i,
  input  wire [PORTS*FLIT_W-1:0] data_i,
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

  // The oldest of each port's queue, and what goes on of each port: that, or the flit that comes.
  wire [PORTS-1:0]        queued, go_old, go_new, go_add;
  wire [PORTS*ADDR_W-1:0] oldest_address, go_address;
  wire [PORTS*LANES-1:0]  oldest_lanes, go_lanes;
  wire [PORTS*FLIT_W-1:0] go_data;
  wire [PORTS-1:0]        go = go_old | go_new;
  wire [PORTS-1:0]        over;
  reg  [PORTS-1:0]        free_old, free_new;
  reg                     overflow_q;

  // Sums under way: one, two and three cycles after their read.
  reg [PORTS-1:0]        first_q, second_q, third_q;
  reg [PORTS*ADDR_W-1:0] first_address_q, second_address_q, third_address_q;
  reg [PORTS*LANES-1:0]  first_lanes_q, second_lanes_q, third_lanes_q;
  reg [PORTS*FLIT_W-1:0] first_data_q;

  // Whether two flits share a word: one begins within the other. Both hold their first word.
  function overlap(input [ADDR_W-1:0] a, input [LANES-1:0] a_lanes, input [ADDR_W-1:0] b, input [LANES-1:0] b_lanes);
    reg [ADDR_W-1:0] behind;
    reg [LANE_W-1:0] ahead;
    begin
      behind = a - b;
      ahead = -behind[LANE_W-1:0];
      overlap = (~|behind[ADDR_W-1:LANE_W] && b_lanes[behind[LANE_W-1:0]]) ||
                (&behind[ADDR_W-1:LANE_W] && |ahead && a_lanes[ahead]);
    end
  endfunction

  // A flit is free to go on unless words of it are in a sum under way or in a flit at a lower port.
  wire any_sum = |{first_q, second_q, third_q};
  wire [2*PORTS-1:0] there = {valid_i, queued};
  integer p, k;
  always @* begin
    free_old = queued;
    free_new = valid_i;
    if (any_sum || |(there & (there - 1'b1))) begin
      for (p = 0; p < PORTS; p = p + 1) begin
        if (queued[p]) begin
          for (k = 0; k < PORTS; k = k + 1) begin
            if (first_q[k]) begin
              if (overlap(oldest_address[p*ADDR_W+:ADDR_W], oldest_lanes[p*LANES+:LANES],
                          first_address_q[k*ADDR_W+:ADDR_W], first_lanes_q[k*LANES+:LANES]))
                free_old[p] = 1'b0;
            end
            if (second_q[k]) begin
              if (overlap(oldest_address[p*ADDR_W+:ADDR_W], oldest_lanes[p*LANES+:LANES],
                          second_address_q[k*ADDR_W+:ADDR_W], second_lanes_q[k*LANES+:LANES]))
                free_old[p] = 1'b0;
            end
            if (third_q[k]) begin
              if (overlap(oldest_address[p*ADDR_W+:ADDR_W], oldest_lanes[p*LANES+:LANES],
                          third_address_q[k*ADDR_W+:ADDR_W], third_lanes_q[k*LANES+:LANES]))
                free_old[p] = 1'b0;
            end
            if (k < p && queued[k]) begin
              if (overlap(oldest_address[p*ADDR_W+:ADDR_W], oldest_lanes[p*LANES+:LANES],
                          oldest_address[k*ADDR_W+:ADDR_W], oldest_lanes[k*LANES+:LANES]))
                free_old[p] = 1'b0;
            end
            if (k < p && valid_i[k]) begin
              if (overlap(oldest_address[p*ADDR_W+:ADDR_W], oldest_lanes[p*LANES+:LANES],
                          address_i[k*ADDR_W+:ADDR_W], lanes_i[k*LANES+:LANES]))
                free_old[p] = 1'b0;
            end
          end
        end
        if (valid_i[p]) begin
          for (k = 0; k < PORTS; k = k + 1) begin
            if (first_q[k]) begin
              if (overlap(address_i[p*ADDR_W+:ADDR_W], lanes_i[p*LANES+:LANES],
                          first_address_q[k*ADDR_W+:ADDR_W], first_lanes_q[k*LANES+:LANES]))
                free_new[p] = 1'b0;
            end
            if (second_q[k]) begin
              if (overlap(address_i[p*ADDR_W+:ADDR_W], lanes_i[p*LANES+:LANES],
                          second_address_q[k*ADDR_W+:ADDR_W], second_lanes_q[k*LANES+:LANES]))
                free_new[p] = 1'b0;
            end
            if (third_q[k]) begin
              if (overlap(address_i[p*ADDR_W+:ADDR_W], lanes_i[p*LANES+:LANES],
                          third_address_q[k*ADDR_W+:ADDR_W], third_lanes_q[k*LANES+:LANES]))
                free_new[p] = 1'b0;
            end
            if (k < p && queued[k]) begin
              if (overlap(address_i[p*ADDR_W+:ADDR_W], lanes_i[p*LANES+:LANES],
                          oldest_address[k*ADDR_W+:ADDR_W], oldest_lanes[k*LANES+:LANES]))
                free_new[p] = 1'b0;
            end
            if (k < p && valid_i[k]) begin
              if (overlap(address_i[p*ADDR_W+:ADDR_W], lanes_i[p*LANES+:LANES],
                          address_i[k*ADDR_W+:ADDR_W], lanes_i[k*LANES+:LANES]))
                free_new[p] = 1'b0;
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
  integer o;
  always @* begin
    dma_conflict_o = {PORTS{1'b0}};
    for (o = 0; o < PORTS; o = o + 1) dma_conflict_o = dma_conflict_o | dma_hits[o*PORTS+:PORTS];
  end

  genvar g, l;
  generate
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
      // Of each place of the queue, how many flits are before it.
      function [QUEUE_W-1:0] age(input [QUEUE_W-1:0] place, input [QUEUE_W-1:0] oldest);
        age = place - oldest;
      endfunction
      reg [PORTS-1:0] hits;
      integer d, w;
      always @* begin
        hits = {PORTS{1'b0}};
        if (any_late) begin
          for (d = 0; d < PORTS; d = d + 1) begin
            if (dma_valid_i[d]) begin
              hits[d] = (first_late_q[g] && overlap(dma_address_i[d*ADDR_W+:ADDR_W], dma_lanes_i[d*LANES+:LANES],
                                                    first_address_q[g*ADDR_W+:ADDR_W], first_lanes_q[g*LANES+:LANES])) ||
                        (second_late_q[g] && overlap(dma_address_i[d*ADDR_W+:ADDR_W], dma_lanes_i[d*LANES+:LANES],
                                                     second_address_q[g*ADDR_W+:ADDR_W], second_lanes_q[g*LANES+:LANES])) ||
                        (third_late_q[g] && overlap(dma_address_i[d*ADDR_W+:ADDR_W], dma_lanes_i[d*LANES+:LANES],
                                                    third_address_q[g*ADDR_W+:ADDR_W], third_lanes_q[g*LANES+:LANES]));
              for (w = 0; w < QUEUE; w = w + 1) begin
                if ({1'b0, age(w[QUEUE_W-1:0], head_q)} < count_q) begin
                  if (overlap(dma_address_i[d*ADDR_W+:ADDR_W], dma_lanes_i[d*LANES+:LANES],
                              queue_address_q[w*ADDR_W+:ADDR_W], queue_lanes_q[w*LANES+:LANES]))
                    hits[d] = 1'b1;
                end
              end
            end
          end
        end
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

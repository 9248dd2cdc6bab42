// Adds arriving partial sums to the gradient buffer, a flit a cycle and port, or stores arriving final values.
// A flit that comes in cycle t reads its words in t (they come in t + 1) and its sums are written in t + 3, to be
// read from t + 4 on; a store is written in t.
//
// A flit whose words overlap those of a sum under way, or of a lower port's flit of the same cycle, waits in its
// port's queue until that is written: at most four cycles for each other port that adds to the same words.
// Within a port flits keep their order. DMA requests are told (dma_conflict_o) when a sum they would read is
// still under way. overflow_o tells, for good, that a queue was too short.
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
  output reg  [PORTS-1:0]        dma_conflict_o,
  output wire                    busy_o,
  output wire                    overflow_o
);
  localparam WORD_W = 1 + ADDR_W + LANES + FLIT_W;
  localparam [ADDR_W-1:0] NEAR = LANES;

  // The candidate of each port: the oldest of its queue, else the flit that comes.
  wire [PORTS-1:0]        queued, candidate, candidate_add;
  wire [PORTS*ADDR_W-1:0] candidate_address;
  wire [PORTS*LANES-1:0]  candidate_lanes;
  wire [PORTS*FLIT_W-1:0] candidate_data;
  wire [PORTS-1:0]        over;
  reg  [PORTS-1:0]        go;
  reg                     overflow_q;

  // Sums under way: one, two and three cycles after their read.
  reg [PORTS-1:0]        first_q, second_q, third_q;
  reg [PORTS*ADDR_W-1:0] first_address_q, second_address_q, third_address_q;
  reg [PORTS*LANES-1:0]  first_lanes_q, second_lanes_q, third_lanes_q;
  reg [PORTS*FLIT_W-1:0] first_data_q;

  // Whether the flits at two addresses share a word.
  function overlap(input [ADDR_W-1:0] a, input [ADDR_W-1:0] b);
    overlap = (a - b) < NEAR || (b - a) < NEAR;
  endfunction
  // Whether a sum under way is of words at `a`.
  function under_way(input [ADDR_W-1:0] a);
    integer k;
    begin
      under_way = 1'b0;
      for (k = 0; k < PORTS; k = k + 1) begin
        if (first_q[k] && overlap(a, first_address_q[k*ADDR_W+:ADDR_W])) under_way = 1'b1;
        if (second_q[k] && overlap(a, second_address_q[k*ADDR_W+:ADDR_W])) under_way = 1'b1;
        if (third_q[k] && overlap(a, third_address_q[k*ADDR_W+:ADDR_W])) under_way = 1'b1;
      end
    end
  endfunction

  integer p, q;
  always @* begin
    go = {PORTS{1'b0}};
    for (p = 0; p < PORTS; p = p + 1) begin
      if (candidate[p]) begin
        go[p] = !under_way(candidate_address[p*ADDR_W+:ADDR_W]);
        for (q = 0; q < p; q = q + 1) begin
          if (candidate[q] && overlap(candidate_address[p*ADDR_W+:ADDR_W], candidate_address[q*ADDR_W+:ADDR_W]))
            go[p] = 1'b0;
        end
      end
    end
  end

  wire [PORTS*QUEUE-1:0]        waiting;          // places that hold a flit
  wire [PORTS*QUEUE*ADDR_W-1:0] waiting_address;
  integer d, w;
  always @* begin
    dma_conflict_o = {PORTS{1'b0}};
    for (d = 0; d < PORTS; d = d + 1) begin
      if (dma_valid_i[d] && busy_o) begin
        dma_conflict_o[d] = under_way(dma_address_i[d*ADDR_W+:ADDR_W]);
        if (|queued) begin
          for (w = 0; w < PORTS * QUEUE; w = w + 1) begin
            if (waiting[w] && overlap(dma_address_i[d*ADDR_W+:ADDR_W], waiting_address[w*ADDR_W+:ADDR_W]))
              dma_conflict_o[d] = 1'b1;
          end
        end
      end
    end
  end

  genvar g, l, s;
  generate
    for (g = 0; g < PORTS; g = g + 1) begin : g_port
      reg [WORD_W-1:0]  queue_q [0:QUEUE-1];
      reg [QUEUE_W-1:0] head_q;
      reg [QUEUE_W:0]   count_q;
      wire [QUEUE_W-1:0] tail = head_q + count_q[QUEUE_W-1:0];
      wire [WORD_W-1:0] incoming = {add_i[g], address_i[g*ADDR_W+:ADDR_W], lanes_i[g*LANES+:LANES],
                                    data_i[g*FLIT_W+:FLIT_W]};
      wire pop = queued[g] && go[g];
      wire push = valid_i[g] && (queued[g] || !go[g]);

      assign queued[g] = count_q != {(QUEUE_W + 1){1'b0}};
      assign candidate[g] = queued[g] || valid_i[g];
      assign {candidate_add[g], candidate_address[g*ADDR_W+:ADDR_W], candidate_lanes[g*LANES+:LANES],
              candidate_data[g*FLIT_W+:FLIT_W]} = queued[g] ? queue_q[head_q] : incoming;
      assign over[g] = push && count_q[QUEUE_W] && !pop;
      for (s = 0; s < QUEUE; s = s + 1) begin : g_place
        localparam [QUEUE_W-1:0] PLACE = s;
        wire [QUEUE_W-1:0] age = PLACE - head_q;
        assign waiting[g*QUEUE+s] = {1'b0, age} < count_q;
        assign waiting_address[(g*QUEUE+s)*ADDR_W+:ADDR_W] = queue_q[s][FLIT_W+LANES+:ADDR_W];
      end
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          head_q <= {QUEUE_W{1'b0}};
          count_q <= {(QUEUE_W + 1){1'b0}};
        end else begin
          if (push) queue_q[tail] <= incoming;
          if (pop) head_q <= head_q + 1'b1;
          if (push && !pop && !over[g]) count_q <= count_q + 1'b1;
          else if (pop && !push) count_q <= count_q - 1'b1;
        end
      end
      always @(posedge clk_i) begin
        if (go[g] && candidate_add[g]) begin
          first_address_q[g*ADDR_W+:ADDR_W] <= candidate_address[g*ADDR_W+:ADDR_W];
          first_lanes_q[g*LANES+:LANES] <= candidate_lanes[g*LANES+:LANES];
          first_data_q[g*FLIT_W+:FLIT_W] <= candidate_data[g*FLIT_W+:FLIT_W];
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

  assign read_valid_o = go & candidate_add;
  assign read_address_o = candidate_address;
  assign store_valid_o = go & ~candidate_add;
  assign store_address_o = candidate_address;
  assign store_lanes_o = candidate_lanes;
  assign store_data_o = candidate_data;
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
      overflow_q <= 1'b0;
    end else begin
      first_q <= read_valid_o;
      second_q <= first_q;
      third_q <= second_q;
      overflow_q <= overflow_q || |over;
    end
  end
endmodule
`default_nettype wire

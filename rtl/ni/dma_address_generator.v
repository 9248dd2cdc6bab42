// Reads the data of issued messages from the gradient buffer, a flit a cycle, in the order of issue. Two
// messages at most are here. A request leaves when req_ready_i says that its data has a place and that no sum
// under way is missing from it.
`default_nettype none
module dma_address_generator #(
  parameter ADDR_W = 24,  // bits of an address, in words of 4 bytes
  parameter LEN_W = 20,   // bits of a length, in words
  parameter LANES = 4     // words of a flit, a power of two
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              push_i,
  input  wire [ADDR_W-1:0] address_i,
  input  wire [LEN_W-1:0]  words_i,      // from 1
  output wire              req_valid_o,
  output wire [ADDR_W-1:0] req_address_o,
  output wire [LANES-1:0]  req_lanes_o,    // lanes that hold a word: the first ones
  input  wire              req_ready_i,
  output wire              busy_o
);
  localparam [LEN_W-1:0] STEP = LANES[LEN_W-1:0];
  localparam [ADDR_W-1:0] ADDR_STEP = LANES[ADDR_W-1:0];
  reg [ADDR_W-1:0] address_q [0:1];
  reg [LEN_W-1:0]  words_q [0:1];
  reg [1:0]        count_q;
  reg              head_q;

  wire tail = head_q ^ count_q[0];
  wire last = words_q[head_q] <= STEP;
  wire send = req_valid_o && req_ready_i;
  wire pop = send && last;

  assign req_valid_o = count_q != 2'd0;
  assign req_address_o = address_q[head_q];
  assign busy_o = req_valid_o;

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam [LEN_W-1:0] INDEX = l;
      assign req_lanes_o[l] = words_q[head_q] > INDEX;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= 2'd0;
      head_q <= 1'b0;
    end else begin
      if (send) begin
        address_q[head_q] <= req_address_o + ADDR_STEP;
        words_q[head_q] <= words_q[head_q] - STEP;
      end
      if (pop) head_q <= !head_q;
      if (push_i) begin
        address_q[tail] <= address_i;
        words_q[tail] <= words_i;
      end
      count_q <= count_q + {1'b0, push_i} - {1'b0, pop};
    end
  end
endmodule
`default_nettype wire

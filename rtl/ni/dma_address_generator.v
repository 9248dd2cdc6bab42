// Requests the data of issued messages from the gradient buffer, one flit per cycle, in the order of issue. It holds at
// most two messages. A request leaves in a cycle with req_ready_i, which indicates that the buffer has a free slot for
// the data and that no pending sum would still change the data. Requests are registered. next_o announces each of them
// one cycle ahead, even if the request then has to wait for req_ready_i.
`default_nettype none
module dma_address_generator #(
  parameter ADDR_W = 24,  // width of an address, in words of 4 bytes
  parameter LEN_W = 20,   // width of a length in words
  parameter LANES = 4     // words per flit, a power of two
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              push_i,
  input  wire [ADDR_W-1:0] address_i,
  input  wire [LEN_W-1:0]  words_i,      // at least 1
  output wire              req_valid_o,
  output wire [ADDR_W-1:0] req_address_o,
  output wire [LANES-1:0]  req_lanes_o,    // lanes that contain a data word; lane 0 always does
  input  wire              req_ready_i,
  output wire              next_o,  // a request will be present in the next cycle, as described by the outputs below
  output wire [ADDR_W-1:0] next_address_o,
  output wire [LANES-1:0]  next_lanes_o,
  output wire              busy_o
);
  localparam [LEN_W-1:0] STEP = LANES[LEN_W-1:0];
  localparam [ADDR_W-1:0] ADDR_STEP = LANES[ADDR_W-1:0];
  // The front message, beginning with its current request, and the message behind it.
  reg              front_q, behind_q;
  reg [ADDR_W-1:0] address_q, behind_address_q;
  reg [LEN_W-1:0]  words_q, behind_words_q;
  reg [LANES-1:0]  lanes_q;
  reg              last_q;  // the current request is the last one of the front message

  wire send = front_q && req_ready_i;
  wire pop = send && last_q;
  wire goes_on = front_q && !last_q;
  wire [LEN_W-1:0] next_words = goes_on ? words_q - STEP : behind_q ? behind_words_q : words_i;

  assign req_valid_o = front_q;
  assign req_address_o = address_q;
  assign req_lanes_o = lanes_q;
  assign next_o = send || (push_i && !front_q);
  assign next_address_o = goes_on ? address_q + ADDR_STEP : behind_q ? behind_address_q : address_i;
  assign busy_o = front_q;

  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam [LEN_W-1:0] INDEX = l;
      assign next_lanes_o[l] = next_words > INDEX;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      front_q <= 1'b0;
      behind_q <= 1'b0;
    end else begin
      front_q <= push_i || behind_q || (front_q && !pop);
      behind_q <= pop ? behind_q && push_i : behind_q || (front_q && push_i);
    end
    if (next_o) begin
      address_q <= next_address_o;
      words_q <= next_words;
      lanes_q <= next_lanes_o;
      last_q <= next_words <= STEP;
    end
    if (push_i && front_q) begin
      behind_address_q <= address_i;
      behind_words_q <= words_i;
    end
  end
endmodule
`default_nettype wire

// An accelerator's memory with the timing of the model: every port is served in every cycle, reads see the
// writes of earlier cycles, and data for the DMA arrives DMA_LATENCY - 1 cycles after its request. The file
// BEFORE contains the initial words. The task check counts the words that differ from those in the file AFTER
// in `wrong`. For simulation only: a chip has banks (rtl/memory) instead.
`default_nettype none
module scratchpad #(
  parameter WORDS = 16,
  parameter PORTS = 4,
  parameter LANES = 4,
  parameter ADDR_W = 24,
  parameter DMA_LATENCY = 4,   // cycles, at least 2
  parameter BEFORE = "before.hex",
  parameter AFTER = "after.hex"
) (
  input  wire                      clk_i,
  input  wire                      rst_ni,
  input  wire [PORTS-1:0]          dma_valid_i,
  input  wire [PORTS*ADDR_W-1:0]   dma_address_i,
  output wire [PORTS-1:0]          dma_data_valid_o,
  output wire [PORTS*LANES*32-1:0] dma_data_o,
  input  wire [PORTS-1:0]          read_valid_i,
  input  wire [PORTS*ADDR_W-1:0]   read_address_i,
  output reg  [PORTS*LANES*32-1:0] read_data_o,
  input  wire [PORTS-1:0]          sum_valid_i,
  input  wire [PORTS*ADDR_W-1:0]   sum_address_i,
  input  wire [PORTS*LANES-1:0]    sum_lanes_i,
  input  wire [PORTS*LANES*32-1:0] sum_data_i,
  input  wire [PORTS-1:0]          store_valid_i,
  input  wire [PORTS*ADDR_W-1:0]   store_address_i,
  input  wire [PORTS*LANES-1:0]    store_lanes_i,
  input  wire [PORTS*LANES*32-1:0] store_data_i
);
  localparam FLITS_W = PORTS * LANES * 32;
  localparam STAGES = DMA_LATENCY - 1;
  reg [31:0] words [0:WORDS-1];
  reg [31:0] after [0:WORDS-1];
  reg [STAGES*PORTS-1:0]   valid_q;
  reg [STAGES*FLITS_W-1:0] data_q;
  assign dma_data_valid_o = valid_q[(STAGES-1)*PORTS+:PORTS];
  assign dma_data_o = data_q[(STAGES-1)*FLITS_W+:FLITS_W];
  initial begin
    $readmemh(BEFORE, words);
    $readmemh(AFTER, after);
  end

  integer p, l, s, at;
  always @(posedge clk_i) begin
    for (s = STAGES - 1; s > 0; s = s - 1) begin
      valid_q[s*PORTS+:PORTS] <= rst_ni ? valid_q[(s-1)*PORTS+:PORTS] : {PORTS{1'b0}};
      data_q[s*FLITS_W+:FLITS_W] <= data_q[(s-1)*FLITS_W+:FLITS_W];
    end
    valid_q[PORTS-1:0] <= rst_ni ? dma_valid_i : {PORTS{1'b0}};
    for (p = 0; p < PORTS; p = p + 1) begin
      for (l = 0; l < LANES; l = l + 1) begin
        at = {{(32 - ADDR_W){1'b0}}, dma_address_i[p*ADDR_W+:ADDR_W]} + l;
        if (dma_valid_i[p]) data_q[(p*LANES+l)*32+:32] <= at < WORDS ? words[at] : 32'd0;
        at = {{(32 - ADDR_W){1'b0}}, read_address_i[p*ADDR_W+:ADDR_W]} + l;
        if (read_valid_i[p]) read_data_o[(p*LANES+l)*32+:32] <= at < WORDS ? words[at] : 32'd0;
        at = {{(32 - ADDR_W){1'b0}}, sum_address_i[p*ADDR_W+:ADDR_W]} + l;
        if (rst_ni && sum_valid_i[p] && sum_lanes_i[p*LANES+l]) words[at] <= sum_data_i[(p*LANES+l)*32+:32];
        at = {{(32 - ADDR_W){1'b0}}, store_address_i[p*ADDR_W+:ADDR_W]} + l;
        if (rst_ni && store_valid_i[p] && store_lanes_i[p*LANES+l]) words[at] <= store_data_i[(p*LANES+l)*32+:32];
      end
    end
  end

  integer wrong, w;
  task check(input integer node);
    begin
      wrong = 0;
      for (w = 0; w < WORDS; w = w + 1) begin
        if (words[w] !== after[w]) begin
          if (wrong < 5) $display("accelerator %0d word %0d: %h, should be %h", node, w, words[w], after[w]);
          wrong = wrong + 1;
        end
      end
    end
  endtask
endmodule
`default_nettype wire

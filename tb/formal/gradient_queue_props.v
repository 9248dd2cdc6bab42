// Proves that gradient_queue releases layers in order and once each, never before their chunks have arrived,
// and that it releases a layer once it is complete.
`default_nettype none
module gradient_queue_props (input wire clk_i);
  reg [2:0] phase = 3'd0;  // 0: reset, 1 to 4: the table, 5: start, 6: run
  always @(posedge clk_i) if (phase != 3'd6) phase <= phase + 3'd1;
  wire runs = phase == 3'd6;
  wire [15:0] chunks = $anyconst;  // the table of four layers, 4 bits each
  wire enqueue = $anyseq, taken = $anyseq;
  wire released, done;
  wire [1:0] layer;
  wire [1:0] line = phase[1:0] - 2'd1;
  gradient_queue #(.LAYERS(4), .LAYER_W(2), .CHUNK_W(4)) dut (
    .clk_i(clk_i), .rst_ni(phase != 3'd0), .load_valid_i(phase >= 3'd1 && phase <= 3'd4), .load_layer_i(line),
    .load_chunks_i(chunks[{line, 2'd0}+:4]), .start_i(phase == 3'd5), .layers_i(3'd4), .enqueue_i(enqueue && runs),
    .release_o(released), .layer_o(layer), .taken_i(taken), .done_o(done));
  reg [3:0] come = 4'd0;
  reg [2:0] next = 3'd0;
  always @(posedge clk_i) begin
    if (runs) begin
      assume (!enqueue || come != 4'd15);
      come <= come + {3'd0, enqueue};
      if (released) assert (come >= chunks[{layer, 2'd0}+:4]);
      if (released) assert ({1'b0, layer} == next);
      assert (done == (next == 3'd4));
      if (next != 3'd4 && come >= chunks[{next[1:0], 2'd0}+:4]) assert (released);
      if (released && taken) next <= next + 3'd1;
    end
  end
endmodule
`default_nettype wire

// Chains communication to the next forward pass: the next iteration may compute a layer as soon as the layer's
// gradients are final (gradient queuing, Fig. 9 of C-Cube). Chunks of final gradients arrive in order and are counted.
// The layer-chunk table states how many leading chunks contain the gradients of each layer. A layer is released once
// that many chunks have arrived; taken_i then advances the queue to the next layer.
`default_nettype none
module gradient_queue #(
  parameter LAYERS = 64,  // capacity in layers, a power of two
  parameter LAYER_W = 6,  // log2(LAYERS)
  parameter CHUNK_W = 10  // width of a chunk count
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               load_valid_i,
  input  wire [LAYER_W-1:0] load_layer_i,
  input  wire [CHUNK_W-1:0] load_chunks_i,  // number of chunks that must arrive before the layer may start
  input  wire               start_i,        // begins an iteration: resets the chunk count, and returns to layer 0
  input  wire [LAYER_W:0]   layers_i,       // number of layers in the model
  input  wire               enqueue_i,      // a chunk has arrived; at most one per cycle
  output wire               release_o,      // the gradients of the current layer are complete
  output wire [LAYER_W-1:0] layer_o,
  input  wire               taken_i,        // the computation of the released layer starts
  output wire               done_o          // all layers have been taken
);
  reg [CHUNK_W-1:0] table_q [0:LAYERS-1];
  reg [CHUNK_W-1:0] enqueued_q;
  reg [LAYER_W:0]   layer_q;
  reg [LAYER_W:0]   layers_q;

  assign done_o = layer_q == layers_q;
  assign layer_o = layer_q[LAYER_W-1:0];
  assign release_o = !done_o && enqueued_q >= table_q[layer_o];

  always @(posedge clk_i) begin
    if (load_valid_i) table_q[load_layer_i] <= load_chunks_i;
  end
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      enqueued_q <= {CHUNK_W{1'b0}};
      layer_q <= {(LAYER_W + 1){1'b0}};
      layers_q <= {(LAYER_W + 1){1'b0}};
    end else if (start_i) begin
      enqueued_q <= {CHUNK_W{1'b0}};
      layer_q <= {(LAYER_W + 1){1'b0}};
      layers_q <= layers_i;
    end else begin
      if (enqueue_i) enqueued_q <= enqueued_q + 1'b1;
      if (release_o && taken_i) layer_q <= layer_q + 1'b1;
    end
  end
endmodule
`default_nettype wire

// Proves that a tile takes 2 * rows + columns + depth - 2 cycles in tile_sequencer, beginning in the cycle
// after its start. In `rows` of these cycles, the array is filled or drained. The next tile can follow
// immediately. PIPELINED adds as many cycles to streams and sums. Covers stationary outputs and stationary
// weights.
`default_nettype none
module tile_sequencer_props #(
  parameter PIPELINED = 0  // number of additional cycles of every stream
) (input wire clk_i);
  localparam [4:0] LATER = PIPELINED;
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire start = $anyseq;
  wire [1:0] rows = $anyseq, columns = $anyseq;
  wire [3:0] depth = $anyseq;
  always @(posedge clk_i) assume (rows != 2'd0 && columns != 2'd0 && depth != 4'd0 && depth <= 4'd4);
  genvar k;
  generate
    for (k = 0; k < 2; k = k + 1) begin : g_kind
      wire ready, stream, formed, half;
      wire [1:0] mode, row, rows_of, columns_of;
      wire [3:0] depth_of;
      tile_sequencer #(.SIDE_W(2), .DEPTH_W(4), .STATIONARY(k), .PIPELINED(PIPELINED)) dut (
        .clk_i(clk_i), .rst_ni(started), .start_i(start), .rows_i(rows), .columns_i(columns), .depth_i(depth),
        .ready_o(ready), .mode_o(mode), .stream_o(stream), .formed_o(formed), .row_o(row), .rows_o(rows_of),
        .columns_o(columns_of), .depth_o(depth_of), .half_o(half));
      reg [4:0] left_q = 5'd0;     // cycles of the tile, including the current one
      reg [4:0] streams_q = 5'd0;  // cycles of the tile's stream
      reg [1:0] rows_q;
      wire [4:0] length = {3'd0, rows} + {3'd0, columns} + {1'b0, depth} - 5'd2 + LATER;
      always @(posedge clk_i) if (started) begin
        assert ((mode != 2'd0) == (left_q != 5'd0));
        assert (ready == (left_q <= 5'd1));
        // Stationary weights are filled before the stream; stationary outputs are drained after it.
        if (left_q != 5'd0) begin
          if (k == 0) assert (mode == (left_q > {3'd0, rows_q} ? 2'd2 : 2'd3));
          else assert (mode == (left_q > streams_q ? 2'd1 : 2'd2));
          if (k == 0 && mode == 2'd3) assert (row == rows_q - left_q[1:0]);
          if (k == 1 && mode == 2'd1) assert ({3'd0, row} == left_q - streams_q - 5'd1);
          assert (stream == (k == 0 ? left_q == streams_q + {3'd0, rows_q} : left_q == streams_q));
          if (k == 1) assert (formed == (left_q <= streams_q && streams_q - left_q == {3'd0, rows_q} - 5'd1 + LATER));
        end
        if (start && left_q <= 5'd1) begin
          left_q <= length + {3'd0, rows};
          streams_q <= length;
          rows_q <= rows;
        end else if (left_q != 5'd0) begin
          left_q <= left_q - 5'd1;
        end
      end
    end
  endgenerate
endmodule
`default_nettype wire

// The phases of the tiles of a systolic array, without a cycle between tiles:
//   outputs stay   stream rows + columns + depth - 2 cycles, drain rows
//   weights stay   fill rows, stream as many
// and PIPELINED cycles more to stream.
// A tile whose start_i and ready_o meet begins in the next cycle.
`default_nettype none
module tile_sequencer #(
  parameter SIDE_W = 3,     // bits of a number of rows or columns
  parameter DEPTH_W = 16,   // bits of a depth and of the cycles of a phase
  parameter STATIONARY = 0,  // stationary operand: 0: outputs; 1: weights or inputs
  parameter PIPELINED = 0    // cycles from an operand to the addition of its product (pe.v)
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               start_i,
  input  wire [SIDE_W-1:0]  rows_i,     // from 1, with start_i, as all sizes
  input  wire [SIDE_W-1:0]  columns_i,  // from 1
  input  wire [DEPTH_W-1:0] depth_i,    // from 1; rows + columns + depth is below 2^DEPTH_W
  output wire               ready_o,
  output wire [1:0]         mode_o,       // 0: hold, 1: fill, 2: stream, 3: drain
  output wire               stream_o,     // the first cycle of a stream
  output wire               formed_o,     // the upper row forms the first sum (weights stay)
  output wire [SIDE_W-1:0]  row_o,        // the row that fills the array, or leaves it
  output reg  [SIDE_W-1:0]  rows_o,
  output reg  [SIDE_W-1:0]  columns_o,
  output reg  [DEPTH_W-1:0] depth_o,
  output reg                half_o        // toggles with every tile
);
  localparam HOLD = 2'd0, FILL = 2'd1, STREAM = 2'd2, DRAIN = 2'd3;
  localparam FIRST = STATIONARY != 0 ? FILL : STREAM;
  localparam [DEPTH_W-1:0] ONE = 1, LATER = PIPELINED > 1 ? 2 : PIPELINED > 0 ? 1 : 0;
  reg [1:0]         mode_q;
  reg               first_q;   // the first cycle of a phase
  reg [DEPTH_W-1:0] left_q;    // cycles of the phase, including this one
  reg [DEPTH_W-1:0] before_q;  // cycles of the stream before the upper row forms the first sum
  wire last = left_q == ONE;
  wire ends = last && (STATIONARY != 0 ? mode_q == STREAM : mode_q == DRAIN);
  assign ready_o = mode_q == HOLD || ends;
  assign mode_o = mode_q;
  assign stream_o = mode_q == STREAM && first_q;
  assign formed_o = STATIONARY != 0 && mode_q == STREAM && before_q == {DEPTH_W{1'b0}};
  // The last row fills the array first; the first one leaves it first.
  wire [SIDE_W-1:0] left = left_q[SIDE_W-1:0];
  assign row_o = STATIONARY != 0 ? left - 1'b1 : rows_o - left;

  function [DEPTH_W-1:0] widen(input [SIDE_W-1:0] side);
    widen = {{(DEPTH_W - SIDE_W){1'b0}}, side};
  endfunction
  wire starts = start_i && ready_o;
  wire [DEPTH_W-1:0] stream_length = widen(starts ? rows_i : rows_o) + widen(starts ? columns_i : columns_o) +
                                     (starts ? depth_i : depth_o) - ONE - ONE + LATER;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      mode_q <= HOLD;
      first_q <= 1'b0;
      left_q <= {DEPTH_W{1'b0}};
      before_q <= {DEPTH_W{1'b0}};
      half_o <= 1'b1;
    end else begin
      first_q <= starts || last;
      if (left_q != {DEPTH_W{1'b0}}) left_q <= left_q - ONE;
      if (mode_q == STREAM) before_q <= before_q - ONE;
      if (starts) begin
        mode_q <= FIRST;
        left_q <= STATIONARY != 0 ? widen(rows_i) : stream_length;
        half_o <= !half_o;
      end else if (last && mode_q == FILL) begin
        mode_q <= STREAM;
        left_q <= stream_length;
        before_q <= widen(rows_o) - ONE + LATER;
      end else if (last && mode_q == STREAM && STATIONARY == 0) begin
        mode_q <= DRAIN;
        left_q <= widen(rows_o);
      end else if (ends) begin
        mode_q <= HOLD;
      end
    end
    if (starts) {rows_o, columns_o, depth_o} <= {rows_i, columns_i, depth_i};
  end
endmodule
`default_nettype wire

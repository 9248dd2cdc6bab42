// Controls the phases in which a systolic array processes its tiles, without idle cycles between tiles:
//   output stationary  stream for rows + columns + depth - 2 + PIPELINED cycles, then drain for rows cycles
//   weight stationary  fill for rows cycles, then stream for rows + columns + depth - 2 + PIPELINED cycles
// A tile begins in the cycle after start_i and ready_o are both 1.
`default_nettype none
module tile_sequencer #(
  parameter SIDE_W = 3,     // width of a row or column count
  parameter DEPTH_W = 16,   // width of a depth and of a phase's length in cycles
  parameter STATIONARY = 0,  // 0: outputs are stationary; 1: weights or inputs are
  parameter PIPELINED = 0    // cycles from the arrival of an operand to the addition of its product (pe.v)
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               start_i,
  input  wire [SIDE_W-1:0]  rows_i,     // at least 1; this and the other sizes are valid with start_i
  input  wire [SIDE_W-1:0]  columns_i,  // at least 1
  input  wire [DEPTH_W-1:0] depth_i,    // at least 1; rows + columns + depth is below 2^DEPTH_W
  output wire               ready_o,
  output wire [1:0]         mode_o,       // 0: hold, 1: fill, 2: stream, 3: drain
  output wire               stream_o,     // the first cycle of a stream
  output wire               formed_o,     // weight stationary: the top row forms its first sum in this cycle
  output wire [SIDE_W-1:0]  row_o,        // the row that is being filled or drained
  output reg  [SIDE_W-1:0]  rows_o,
  output reg  [SIDE_W-1:0]  columns_o,
  output reg  [DEPTH_W-1:0] depth_o,
  output reg                half_o        // the half of each buffer that the tile uses; alternates from tile to tile
);
  localparam HOLD = 2'd0, FILL = 2'd1, STREAM = 2'd2, DRAIN = 2'd3;
  localparam FIRST = STATIONARY != 0 ? FILL : STREAM;
  localparam [DEPTH_W-1:0] ONE = 1, LATER = PIPELINED > 1 ? 2 : PIPELINED > 0 ? 1 : 0;
  reg [1:0]         mode_q;
  reg               first_q;   // this is the first cycle of a phase
  reg [DEPTH_W-1:0] left_q;    // cycles that remain in the phase, including this one
  reg [DEPTH_W-1:0] before_q;  // cycles of the stream until the top row forms its first sum
  wire last = left_q == ONE;
  wire ends = last && (STATIONARY != 0 ? mode_q == STREAM : mode_q == DRAIN);
  assign ready_o = mode_q == HOLD || ends;
  assign mode_o = mode_q;
  assign stream_o = mode_q == STREAM && first_q;
  assign formed_o = STATIONARY != 0 && mode_q == STREAM && before_q == {DEPTH_W{1'b0}};
  // Rows are filled from the last to the first, and drained from the first to the last.
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

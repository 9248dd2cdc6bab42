// A systolic array with operand feeders and a drain. It processes tiles back to back, requests the operands of a lane
// in the cycle in which they enter the array, and outputs a result in the cycle in which it leaves the array. Operands
// are bf16, and sums are fp32. Operands and results are assigned to lanes as follows:
//   output stationary  left lane i: row i of the first operand, addressed by depth; upper lane j: column j of the
//                      second operand, addressed by depth
//   weight stationary  left lane i: column i of the first operand, addressed by depth; all upper lanes together: a row
//                      of the second operand, addressed by row
//   result lane j      column j of the result, addressed by row or, if weight stationary, by depth; result_half_o is
//                      the buffer half of the result's tile
// Buffers must provide operands in the cycle of the request, and accept results in the cycle in which they are output.
// A tile occupies the array for 2 rows + columns + depth - 2 + PIPELINED cycles. The last result of a tile in a
// weight-stationary array is output in the first cycle of the next tile.
`default_nettype none
module systolic_array #(
  parameter ROWS = 4,       // at least 1
  parameter COLUMNS = 4,    // at least 1
  parameter SIDE_W = 3,     // width of a row or column count
  parameter DEPTH_W = 16,   // width of a depth; rows + columns + depth is below 2^DEPTH_W
  parameter STATIONARY = 0,  // 0: outputs are stationary; 1: weights or inputs are
  parameter PIPELINED = 0    // number of registers between the operands and the adder: 0, 1 or 2
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire                       start_i,  // begins a tile; ignored unless ready_o is 1
  output wire                       ready_o,
  input  wire [SIDE_W-1:0]          rows_i,     // 1 to ROWS
  input  wire [SIDE_W-1:0]          columns_i,  // 1 to COLUMNS
  input  wire [DEPTH_W-1:0]         depth_i,    // at least 1
  output wire [1:0]                 mode_o,  // 0: hold, 1: fill, 2: stream, 3: drain
  output wire                       operand_half_o,
  output wire [ROWS-1:0]            left_read_o,
  output wire [ROWS*DEPTH_W-1:0]    left_address_o,
  input  wire [ROWS*16-1:0]         left_data_i,
  output wire [COLUMNS-1:0]         upper_read_o,
  output wire [COLUMNS*DEPTH_W-1:0] upper_address_o,
  input  wire [COLUMNS*16-1:0]      upper_data_i,
  output wire                       result_half_o,
  output wire [COLUMNS-1:0]         result_write_o,
  output wire [COLUMNS*DEPTH_W-1:0] result_address_o,
  output wire [COLUMNS*32-1:0]      result_data_o
);
  localparam FILL = 2'd1, DRAIN = 2'd3;
  wire stream, formed;
  wire [SIDE_W-1:0] row, rows, columns;
  wire [DEPTH_W-1:0] depth;
  tile_sequencer #(.SIDE_W(SIDE_W), .DEPTH_W(DEPTH_W), .STATIONARY(STATIONARY), .PIPELINED(PIPELINED)) i_sequencer (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start_i), .rows_i(rows_i), .columns_i(columns_i), .depth_i(depth_i),
    .ready_o(ready_o), .mode_o(mode_o), .stream_o(stream), .formed_o(formed), .row_o(row), .rows_o(rows),
    .columns_o(columns), .depth_o(depth), .half_o(operand_half_o));

  operand_feeder #(.LANES(ROWS), .LANE_W(SIDE_W), .DEPTH_W(DEPTH_W), .REVERSE(STATIONARY)) i_left (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(stream), .lanes_i(rows), .depth_i(depth),
    .read_o(left_read_o), .address_o(left_address_o));

  // Lanes that together transfer a whole row in each cycle, without a skew: the upper operands' lanes if weight
  // stationary, the results' lanes if output stationary.
  wire [COLUMNS-1:0] used;
  genvar c;
  generate
    for (c = 0; c < COLUMNS; c = c + 1) begin : g_used
      localparam [SIDE_W-1:0] COLUMN = c;
      assign used[c] = COLUMN < columns;
    end
  endgenerate
  wire [DEPTH_W-1:0] row_address = {{(DEPTH_W - SIDE_W){1'b0}}, row};

  // Lanes that are skewed by one cycle each: the upper operands' lanes if output stationary, otherwise the
  // results' lanes.
  wire [COLUMNS-1:0] skewed_lane;
  wire [COLUMNS*DEPTH_W-1:0] skewed_address;
  reg formed_q;
  always @(posedge clk_i) formed_q <= rst_ni && formed;
  operand_feeder #(.LANES(COLUMNS), .LANE_W(SIDE_W), .DEPTH_W(DEPTH_W), .REVERSE(0)) i_skewed (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(STATIONARY != 0 ? formed_q : stream), .lanes_i(result_columns),
    .depth_i(result_depth), .read_o(skewed_lane), .address_o(skewed_address));

  // Columns, depth and buffer half of the tile whose results are being written. They keep the previous tile's values
  // until the first result of the next tile is formed.
  reg [SIDE_W-1:0] formed_columns_q;
  reg [DEPTH_W-1:0] formed_depth_q;
  reg formed_half_q;
  always @(posedge clk_i) if (formed) {formed_columns_q, formed_depth_q, formed_half_q} <= {columns, depth, operand_half_o};
  wire [SIDE_W-1:0] result_columns = STATIONARY != 0 ? formed_columns_q : columns;
  wire [DEPTH_W-1:0] result_depth = STATIONARY != 0 ? formed_depth_q : depth;
  assign result_half_o = STATIONARY != 0 ? formed_half_q : operand_half_o;

  assign upper_read_o = STATIONARY != 0 ? used & {COLUMNS{mode_o == FILL}} : skewed_lane;
  assign upper_address_o = STATIONARY != 0 ? {COLUMNS{row_address}} : skewed_address;
  assign result_write_o = STATIONARY != 0 ? skewed_lane : used & {COLUMNS{mode_o == DRAIN}};
  assign result_address_o = STATIONARY != 0 ? skewed_address : {COLUMNS{row_address}};

  pe_array #(.ROWS(ROWS), .COLUMNS(COLUMNS), .STATIONARY(STATIONARY), .PIPELINED(PIPELINED)) i_array (
    .clk_i(clk_i), .rst_ni(rst_ni), .mode_i(mode_o), .left_valid_i(left_read_o), .left_i(left_data_i),
    .upper_valid_i(upper_read_o), .upper_i(upper_data_i), .top_o(result_data_o));
endmodule
`default_nettype wire

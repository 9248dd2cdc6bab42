// An array of ROWS x COLUMNS processing elements. Operands enter at the left and upper edges and move right and down.
// Sums move up and leave at the upper edge. All elements are in the same mode (see pe.v). Row 0 is at the
// top, and column 0 at the left.
`default_nettype none
module pe_array #(
  parameter ROWS = 4,       // at least 1
  parameter COLUMNS = 4,    // at least 1
  parameter STATIONARY = 0,  // 0: outputs are stationary; 1: weights or inputs are
  parameter PIPELINED = 0    // number of registers between the operands and the adder: 0, 1 or 2
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,
  input  wire [1:0]            mode_i,  // 0: hold, 1: fill, 2: stream, 3: drain
  input  wire [ROWS-1:0]       left_valid_i,
  input  wire [ROWS*16-1:0]    left_i,
  input  wire [COLUMNS-1:0]    upper_valid_i,
  input  wire [COLUMNS*16-1:0] upper_i,
  output wire [COLUMNS*32-1:0] top_o  // sums of row 0
);
  wire [ROWS*(COLUMNS+1)-1:0]    left_valid;
  wire [ROWS*(COLUMNS+1)*16-1:0] left;
  wire [(ROWS+1)*COLUMNS-1:0]    upper_valid;
  wire [(ROWS+1)*COLUMNS*16-1:0] upper;
  wire [(ROWS+1)*COLUMNS*32-1:0] sums;
  assign upper_valid[COLUMNS-1:0] = upper_valid_i;
  assign upper[COLUMNS*16-1:0] = upper_i;
  assign sums[ROWS*COLUMNS*32+:COLUMNS*32] = {COLUMNS * 32{1'b0}};
  assign top_o = sums[COLUMNS*32-1:0];
  genvar r, c;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : g_row
      assign left_valid[r*(COLUMNS+1)] = left_valid_i[r];
      assign left[r*(COLUMNS+1)*16+:16] = left_i[r*16+:16];
      for (c = 0; c < COLUMNS; c = c + 1) begin : g_column
        localparam L = r * (COLUMNS + 1) + c;
        localparam U = r * COLUMNS + c;
        pe #(.STATIONARY(STATIONARY), .PIPELINED(PIPELINED)) i_pe (
          .clk_i(clk_i), .rst_ni(rst_ni), .mode_i(mode_i),
          .left_valid_i(left_valid[L]), .left_i(left[L*16+:16]),
          .upper_valid_i(upper_valid[U]), .upper_i(upper[U*16+:16]), .below_i(sums[(U+COLUMNS)*32+:32]),
          .left_valid_o(left_valid[L+1]), .left_o(left[(L+1)*16+:16]),
          .upper_valid_o(upper_valid[U+COLUMNS]), .upper_o(upper[(U+COLUMNS)*16+:16]), .sum_o(sums[U*32+:32]));
      end
      wire unused = &{1'b0, left_valid[r*(COLUMNS+1)+COLUMNS], left[(r*(COLUMNS+1)+COLUMNS)*16+:16]};
    end
  endgenerate
  wire unused = &{1'b0, upper_valid[ROWS*COLUMNS+:COLUMNS], upper[ROWS*COLUMNS*16+:COLUMNS*16]};
endmodule
`default_nettype wire

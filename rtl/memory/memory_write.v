// Distributes the words of a flit over the banks: rotates the data to the lanes of the memory and determines, for each
// bank, the slot, the row and lane of the first word, and the lanes to be written. A flit that extends beyond the end
// of a line continues in the first row of the next line.
`default_nettype none
module memory_write #(
  parameter LANES = 4,    // words per flit, a power of two, at least 2
  parameter LINE_W = 4,   // log2 of the number of words per line
  parameter BANKS = 4,    // number of banks, a power of two, at least 2
  parameter PLACE_W = 4,  // width of a slot number
  // These parameters are derived from the others; do not set them.
  parameter BANK_W = $clog2(BANKS),
  parameter SHIFT_W = $clog2(LANES),
  parameter ROW_W = LINE_W - SHIFT_W
) (
  input  wire                     valid_i,
  input  wire [BANK_W-1:0]        bank_i,     // bank of the line that contains the first word
  input  wire [BANK_W-1:0]        next_i,     // bank of the next line
  input  wire                     crosses_i,  // the flit extends into the next line
  input  wire [LINE_W-1:0]        offset_i,   // offset of the first word in its line
  input  wire [PLACE_W-1:0]       place0_i,   // slot of the first word's line
  input  wire [PLACE_W-1:0]       place1_i,   // slot of the next line
  input  wire [LANES-1:0]         lanes_i,    // lanes of the flit that contain a word
  input  wire [32*LANES-1:0]      data_i,
  output wire [BANKS-1:0]         valid_o,
  output wire [BANKS*PLACE_W-1:0] place_o,
  output wire [BANKS*ROW_W-1:0]   row_o,
  output wire [BANKS*SHIFT_W-1:0] shift_o,
  output wire [BANKS*LANES-1:0]   lanes_o,
  output wire [32*LANES-1:0]      data_o
);
  wire [SHIFT_W-1:0] shift = offset_i[SHIFT_W-1:0];
  wire [LANES-1:0]   turned;
  wire [LANES-1:0]   behind = crosses_i ? ~({LANES{1'b1}} << shift) : {LANES{1'b0}};
  genvar l, b;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam [SHIFT_W-1:0] LANE = l;
      wire [SHIFT_W-1:0] from = LANE - shift;
      assign turned[l] = lanes_i[from];
      assign data_o[l*32+:32] = data_i[{from, 5'd0}+:32];
    end
    for (b = 0; b < BANKS; b = b + 1) begin : g_bank
      localparam [BANK_W-1:0] BANK = b;
      wire first = bank_i == BANK;
      assign valid_o[b] = valid_i && (first || (crosses_i && next_i == BANK));
      assign place_o[b*PLACE_W+:PLACE_W] = first ? place0_i : place1_i;
      assign row_o[b*ROW_W+:ROW_W] = first ? offset_i[LINE_W-1:SHIFT_W] : {ROW_W{1'b0}};
      assign shift_o[b*SHIFT_W+:SHIFT_W] = first ? shift : {SHIFT_W{1'b0}};
      assign lanes_o[b*LANES+:LANES] = turned & (first ? ~behind : behind);
    end
  endgenerate
endmodule
`default_nettype wire

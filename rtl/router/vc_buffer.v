// The buffer of an input virtual channel: DEPTH flits. A flit that arrives at an empty buffer is at the front in the same
// cycle. A flit that has left is at last_o for another cycle, so that its receiver need not wait for the decision to pop.
// Credits prevent overflow.
//
// Places alternate between two banks: the front and the flit before it are never in the same one.
`default_nettype none
module vc_buffer #(
  parameter WIDTH = 130,  // bits of a flit with its head and tail marks
  parameter DEPTH = 16,   // flits, a power of two
  parameter ADDR_W = 4,   // log2(DEPTH)
  parameter GATES = 0     // 1: its clock stands still while nothing comes or leaves
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             push_i,
  input  wire [WIDTH-1:0] data_i,
  input  wire             pop_i,
  output wire [WIDTH-1:0] data_o,   // the front
  output wire [WIDTH-1:0] last_o,   // what left in the cycle before
  output wire             valid_o,  // there is a front
  output wire             more_o    // there is one behind it
);
  localparam [ADDR_W:0] ONE = 1;
  localparam ROWS = DEPTH / 2;
  localparam ROW_W = ADDR_W > 1 ? ADDR_W - 1 : 1;
  localparam [ROW_W-1:0] NEXT = ADDR_W > 1 ? 1 : 0;  // a bank of one row stays there
  reg [WIDTH-1:0] even_flits_q [0:ROWS-1];
  reg [WIDTH-1:0] odd_flits_q [0:ROWS-1];
  reg             odd_q;       // the front is in the odd bank
  reg [ROW_W-1:0] even_row_q;  // of each bank the row of the front, or of what left before it
  reg [ROW_W-1:0] odd_row_q;
  reg [ADDR_W:0]  count_q;
  reg             some_q;   // count_q is not zero
  reg             two_q;    // nor is it one
  reg             empty_q;  // not some_q: the front's bits have one of their own, which what asks does not wait for
  wire three = count_q > ONE + ONE;
  // The first free place, as many behind the front's row.
  wire [ROW_W:0]   behind = count_q[ROW_W:0] + {{ROW_W{1'b0}}, odd_q};
  wire [ROW_W-1:0] tail_row = (odd_q ? odd_row_q : even_row_q) + (behind[ROW_W:1] & {ROW_W{NEXT[0]}});
  wire [WIDTH-1:0] even_flit = even_flits_q[even_row_q];
  wire [WIDTH-1:0] odd_flit = odd_flits_q[odd_row_q];

  assign data_o = empty_q ? data_i : odd_q ? odd_flit : even_flit;
  assign last_o = odd_q ? even_flit : odd_flit;
  assign valid_o = push_i || some_q;
  assign more_o = two_q || (push_i && some_q);

  wire clk;
  clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || push_i || pop_i), .clk_o(clk));

  // Whether a flit leaves is known late: an arriving flit is always written.
  always @(posedge clk) begin
    if (push_i && !behind[0]) even_flits_q[tail_row] <= data_i;
    if (push_i && behind[0]) odd_flits_q[tail_row] <= data_i;
    if (!rst_ni) begin
      odd_q <= 1'b0;
      even_row_q <= {ROW_W{1'b0}};
      odd_row_q <= {ROW_W{NEXT[0]}};
      count_q <= {(ADDR_W + 1){1'b0}};
      some_q <= 1'b0;
      two_q <= 1'b0;
      empty_q <= 1'b1;
    end else if (pop_i) begin
      odd_q <= !odd_q;
      if (odd_q) even_row_q <= even_row_q + NEXT;
      else odd_row_q <= odd_row_q + NEXT;
      if (!push_i) begin
        count_q <= count_q - ONE;
        some_q <= two_q;
        empty_q <= !two_q;
        two_q <= three;
      end
    end else if (push_i) begin
      count_q <= count_q + ONE;
      some_q <= 1'b1;
      empty_q <= 1'b0;
      two_q <= some_q;
    end
  end
endmodule
`default_nettype wire

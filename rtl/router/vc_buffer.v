// An input virtual channel's buffer of DEPTH flits. A flit that arrives at an empty buffer is at the front in the same
// cycle. A flit that has left remains at last_o for one more cycle, so its receiver need not wait for the decision to
// pop. Credits prevent overflow.
//
// Slots alternate between two banks, so the front and the previous flit are never in the same bank.
`default_nettype none
module vc_buffer #(
  parameter WIDTH = 130,  // width of a flit with its head and tail flags
  parameter DEPTH = 16,   // flits, a power of two
  parameter ADDR_W = 4,   // log2(DEPTH)
  parameter GATES = 0     // 1: gates the clock while no flit arrives or leaves
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             push_i,
  input  wire [WIDTH-1:0] data_i,
  input  wire             pop_i,
  output wire [WIDTH-1:0] data_o,   // the front
  output wire [WIDTH-1:0] last_o,   // the flit that left in the previous cycle
  output wire             valid_o,  // the buffer holds a flit
  output wire             more_o    // the buffer holds at least two flits
);
  localparam [ADDR_W:0] ONE = 1;
  localparam ROWS = DEPTH / 2;
  localparam ROW_W = ADDR_W > 1 ? ADDR_W - 1 : 1;
  localparam [ROW_W-1:0] NEXT = ADDR_W > 1 ? 1 : 0;  // a bank with a single row does not advance
  reg [WIDTH-1:0] even_flits_q [0:ROWS-1];
  reg [WIDTH-1:0] odd_flits_q [0:ROWS-1];
  reg             odd_q;       // the front is in the odd bank
  reg [ROW_W-1:0] even_row_q;  // each bank's row: that of the front or the previous flit
  reg [ROW_W-1:0] odd_row_q;
  reg [ADDR_W:0]  count_q;
  reg             some_q;   // count_q is not zero
  reg             two_q;    // count_q is at least two
  reg             empty_q;  // not some_q; a separate register that drives the front's multiplexers, to relieve the request path
  wire three = count_q > ONE + ONE;
  // The first free slot's row, computed from the front's row.
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

  // An arriving flit is always written, since whether a flit leaves is known late.
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

// The buffer of an input virtual channel, for DEPTH flits. A flit that arrives at an empty buffer is at the front in
// the same cycle. A flit that leaves remains at last_o for one more cycle, so the crossbar can read it then and does
// not depend on the late decision to pop. Credits prevent overflow.
//
// Consecutive slots alternate between two banks, so that the front flit and the previous one are always in different
// banks.
`default_nettype none
module vc_buffer #(
  parameter WIDTH = 130,  // width of a flit with its head and tail flags
  parameter DEPTH = 16,   // capacity in flits, a power of two
  parameter ADDR_W = 4,   // log2(DEPTH)
  parameter GATES = 0     // 1: gates the clock while no flit arrives or leaves
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             push_i,
  input  wire [WIDTH-1:0] data_i,
  input  wire             pop_i,
  output wire [WIDTH-1:0] data_o,   // the front flit
  output wire [WIDTH-1:0] last_o,   // the flit that left in the previous cycle
  output wire             valid_o,  // the buffer holds a flit
  output wire             more_o    // the buffer holds at least two flits
);
  localparam [ADDR_W:0] ONE = 1;
  localparam ROWS = DEPTH / 2;
  localparam ROW_W = ADDR_W > 1 ? ADDR_W - 1 : 1;
  localparam [ROW_W-1:0] NEXT = ADDR_W > 1 ? 1 : 0;  // the row number of a bank with a single row stays 0
  reg [WIDTH-1:0] even_flits_q [0:ROWS-1];
  reg [WIDTH-1:0] odd_flits_q [0:ROWS-1];
  reg             odd_q;       // the front flit is in the odd bank
  reg [ROW_W-1:0] even_row_q;  // in each bank, the row of the front flit or of the previous flit
  reg [ROW_W-1:0] odd_row_q;
  reg [ADDR_W:0]  count_q;
  reg             some_q;   // count_q is not zero
  reg             two_q;    // count_q is at least two
  // The inverse of some_q. A separate register, which selects data_o, reduces the load on the request path.
  reg             empty_q;
  wire three = count_q > ONE + ONE;
  // Row of the first free slot, computed from the row of the front flit.
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

  // An arriving flit is always written, because it is known only late in the cycle whether it also leaves.
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

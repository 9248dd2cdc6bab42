// The buffer of an input virtual channel: DEPTH flits. A flit that comes into an empty buffer is at the front in the
// same cycle. Credits keep it from overflowing.
`default_nettype none
module vc_buffer #(
  parameter WIDTH = 130,  // bits of a flit with its head and tail marks
  parameter DEPTH = 16,   // flits, a power of two
  parameter ADDR_W = 4    // log2(DEPTH)
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             push_i,
  input  wire [WIDTH-1:0] data_i,
  input  wire             pop_i,
  output wire [WIDTH-1:0] data_o,
  output wire             valid_o,  // there is a front
  output wire             more_o    // there is one behind it
);
  localparam [ADDR_W:0] ONE = 1;
  reg [WIDTH-1:0]  flits_q [0:DEPTH-1];
  reg [ADDR_W-1:0] head_q;
  reg [ADDR_W:0]   count_q;
  wire empty = count_q == {(ADDR_W + 1){1'b0}};
  wire keep = push_i && !(empty && pop_i);
  wire drop = pop_i && !empty;
  // A sum that is an index is as wide as its terms, but not in Icarus 11: the place has a name.
  wire [ADDR_W-1:0] tail = head_q + count_q[ADDR_W-1:0];

  assign data_o = empty ? data_i : flits_q[head_q];
  assign valid_o = push_i || !empty;
  assign more_o = count_q > ONE || (push_i && !empty);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= {ADDR_W{1'b0}};
      count_q <= {(ADDR_W + 1){1'b0}};
    end else begin
      if (keep) flits_q[tail] <= data_i;
      if (drop) head_q <= head_q + 1'b1;
      if (keep && !drop) count_q <= count_q + ONE;
      else if (drop && !keep) count_q <= count_q - ONE;
    end
  end
endmodule
`default_nettype wire

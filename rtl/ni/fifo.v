// A queue of DEPTH words. A pushed word reaches the front in the next cycle at the earliest. A push into a full queue
// (full_o) is ignored unless the front word leaves in the same cycle; a pop from an empty queue has no effect. With
// FRONT, the front word is kept in a register, which shortens timing paths; data_i is then written to memory even
// without a push, and data_o is undefined while the queue is empty.
`default_nettype none
module fifo #(
  parameter WIDTH = 128,  // word width, at least 1
  parameter DEPTH = 16,   // capacity in words, a power of two, at least 2
  parameter ADDR_W = 4,   // log2(DEPTH)
  parameter FRONT = 0     // 1: the front word is kept in a register
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              push_i,
  input  wire [WIDTH-1:0]  data_i,
  input  wire              pop_i,
  output wire [WIDTH-1:0]  data_o,
  output wire              empty_o,
  output wire              full_o,
  output wire [ADDR_W:0]   count_o
);
  reg [WIDTH-1:0]  words_q [0:DEPTH-1];
  reg [ADDR_W-1:0] head_q;
  reg [ADDR_W:0]   count_q;

  wire do_pop = pop_i && !empty_o;
  wire do_push = push_i && (!full_o || do_pop);
  // Icarus 11 does not truncate a sum that is used directly as an index, so it is assigned to a wire first.
  wire [ADDR_W-1:0] tail = head_q + count_q[ADDR_W-1:0];

  assign empty_o = count_q == {(ADDR_W + 1){1'b0}};
  assign full_o = count_q[ADDR_W];
  assign count_o = count_q;

  generate
    if (FRONT != 0) begin : g_front
      reg  [WIDTH-1:0]  front_q;
      wire [ADDR_W-1:0] next = head_q + 1'b1;
      wire more = count_q > {{ADDR_W{1'b0}}, 1'b1};
      assign data_o = front_q;
      // If the queue is full, tail is the slot of the front word, which may be overwritten because front_q holds a
      // copy.
      always @(posedge clk_i) begin
        words_q[tail] <= data_i;
        if (do_pop || empty_o) front_q <= more ? words_q[next] : data_i;
      end
    end else begin : g_memory
      assign data_o = words_q[head_q];
      always @(posedge clk_i) if (rst_ni && do_push) words_q[tail] <= data_i;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= {ADDR_W{1'b0}};
      count_q <= {(ADDR_W + 1){1'b0}};
    end else begin
      if (do_pop) head_q <= head_q + 1'b1;
      if (do_push && !do_pop) count_q <= count_q + 1'b1;
      else if (do_pop && !do_push) count_q <= count_q - 1'b1;
    end
  end
endmodule
`default_nettype wire

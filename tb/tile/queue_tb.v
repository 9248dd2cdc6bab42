// Tests a queue in a four-state simulator: words must leave in order, over many turns of the ring and at all
// fill levels.
`timescale 1ns/1ns
`default_nettype none
module queue_tb #(
  parameter VC_BUFFER = 0,  // 1 tests the buffer of a virtual channel, 0 a fifo
  parameter FRONT = 0       // whether the front element of the fifo is in a register
);
  localparam WIDTH = 8, ADDR_W = 2, DEPTH = 4;
  reg              clk = 1'b0, rst_n = 1'b0, push = 1'b0, pop = 1'b0;
  reg  [WIDTH-1:0] data = 0, expected = 0;
  wire [WIDTH-1:0] front;
  wire             valid;
  integer          held = 0, seed = 1, taken = 0, wrong = 0;
  generate
    if (VC_BUFFER != 0) begin : g_vc_buffer
      wire more;
      vc_buffer #(.WIDTH(WIDTH), .DEPTH(DEPTH), .ADDR_W(ADDR_W)) i_dut (
        .clk_i(clk), .rst_ni(rst_n), .push_i(push), .data_i(data), .pop_i(pop), .data_o(front), .valid_o(valid), .more_o(more));
    end else begin : g_fifo
      wire empty, full;
      wire [ADDR_W:0] count;
      assign valid = !empty;
      fifo #(.WIDTH(WIDTH), .DEPTH(DEPTH), .ADDR_W(ADDR_W), .FRONT(FRONT)) i_dut (
        .clk_i(clk), .rst_ni(rst_n), .push_i(push), .data_i(data), .pop_i(pop), .data_o(front), .empty_o(empty), .full_o(full),
        .count_o(count));
    end
  endgenerate

  always #1 clk = !clk;
  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    repeat (1000) begin
      @(negedge clk);
      if (push) data = data + 1'b1;
      held = held + push - pop;
      push = held < DEPTH && ($random(seed) & 1);
      pop = held > 0 && ($random(seed) & 1);
      // Compares at the clock edge, when the inputs are stable.
      #0 if (pop) begin
        taken = taken + 1;
        if (!valid || front !== expected) wrong = wrong + 1;
        expected = expected + 1'b1;
      end
    end
    $display("%0d taken, %0d wrong", taken, wrong);
    $finish;
  end
endmodule
`default_nettype wire

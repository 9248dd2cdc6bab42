// Proves that words leave the fifo unchanged, once and in order, and that its full and empty flags are
// correct.
`default_nettype none
module fifo_props #(parameter FRONT = 0) (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire push = $anyseq, pop = $anyseq;
  wire [3:0] data = $anyseq;
  wire [3:0] front;
  wire empty, full;
  wire [2:0] count;
  fifo #(.WIDTH(4), .DEPTH(4), .ADDR_W(2), .FRONT(FRONT)) dut (
    .clk_i(clk_i), .rst_ni(started), .push_i(push), .data_i(data), .pop_i(pop), .data_o(front), .empty_o(empty),
    .full_o(full), .count_o(count));

  // The expected contents, with the oldest word at index 0.
  reg [15:0] model = 16'd0;
  reg [2:0] held = 3'd0;
  wire goes = pop && held != 3'd0;
  wire comes = push && (held != 3'd4 || goes);
  wire [15:0] rest = goes ? model >> 4 : model;
  wire [2:0] left = goes ? held - 3'd1 : held;
  always @(posedge clk_i) begin
    if (started) begin
      model <= comes ? (rest & ~(16'hf << {left, 2'd0})) | ({12'd0, data} << {left, 2'd0}) : rest;
      held <= comes ? left + 3'd1 : left;
      assert (count <= 3'd4);
      assert (count == held);
      assert (empty == (held == 3'd0));
      assert (full == (held == 3'd4));
      if (held != 3'd0) assert (front == model[3:0]);
    end
  end
endmodule
`default_nettype wire

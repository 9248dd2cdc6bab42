// Tests spill_register with random valid and ready signals: words must leave in order. With registers, no
// input may affect an output before the clock edge, and one word must pass in every cycle in which both sides
// are ready. The last line of output is "verified" or the error.
`timescale 1ns/1ns
`default_nettype none
module spill_register_tb;
  parameter SPILL = 1, CYCLES = 2000;
  localparam WIDTH = 8;
  reg              clk = 1'b0, rst_n = 1'b0, valid = 1'b0, ready = 1'b0;
  reg  [WIDTH-1:0] data = 0, expected = 0;
  wire             place, offered;
  wire [WIDTH-1:0] front;
  spill_register #(.WIDTH(WIDTH), .SPILL(SPILL)) i_dut (
    .clk_i(clk), .rst_ni(rst_n), .valid_i(valid), .ready_o(place), .data_i(data), .valid_o(offered), .ready_i(ready), .data_o(front));

  reg [WIDTH+1:0] before;
  reg             waits;
  integer         seed = 1, cycle, wrong = 0, taken = 0, streamed = 0, through = 0;
  always #1 clk = !clk;
  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
      @(negedge clk);
      before = {place, offered, front};
      waits = valid && !place;
      // In alternate stretches of a hundred cycles, both sides are always ready. An offer stays until it is
      // accepted.
      if (!waits) valid = cycle / 100 % 2 == 1 || $random(seed) % 3 != 0;
      ready = cycle / 100 % 2 == 1 || $random(seed) % 3 != 0;
      #0;
      if (SPILL != 0 && before !== {place, offered, front}) wrong = wrong + 1;
      if (offered && front !== expected) wrong = wrong + 1;
      @(posedge clk);
      if (cycle / 100 % 2 == 1 && cycle % 100 > 2) begin
        streamed = streamed + 1;
        through = through + (offered && ready);
      end
      if (offered && ready) begin
        taken = taken + 1;
        expected = expected + 1'b1;
      end
      waits = valid && !place;
      #0 if (valid && !waits) data = data + 1'b1;
    end
    if (through != streamed) wrong = wrong + 1;
    if (wrong == 0 && taken > CYCLES / 2) $display("verified: %0d came through", taken);
    else $display("FAILED: %0d wrong, %0d came through, %0d of %0d in a row", wrong, taken, through, streamed);
    $finish;
  end
endmodule
`default_nettype wire

// Measures a lane of the reduction unit. It receives two operands in LOAD percent of the cycles; the operands
// have random signs and similar exponents.
`timescale 1ps/1ps
`default_nettype none
module tb;
  parameter TYPE = 0;  // 0 is fp32, 1 is bf16, 2 is int32
  parameter LOAD = 100, WARM = 100, CYCLES = 400, PERIOD = 10000, SEED = 1;
  `include "clock.vh"
  reg         valid = 1'b0, next = 1'b0, last = 1'b0;
  reg  [31:0] a = 32'd0, b = 32'd0;
  wire [31:0] sum;
  dut i_dut (.clk_i(clk), .valid_i(valid), .next_i(next), .type_i(TYPE[1:0]), .a_i(a), .b_i(b), .sum_o(sum));

  function [31:0] gradient(input integer unused);
    reg [31:0] random, shorter;
    begin
      random = $random(seed);
      shorter = $random(seed);
      gradient = {random[31], 8'd118 + {6'd0, random[30:29]} + {6'd0, random[28:27]}, random[22:0]};
      if (TYPE == 1) gradient[15:0] = {shorter[15], 8'd118 + {6'd0, shorter[14:13]} + {6'd0, shorter[12:11]}, shorter[6:0]};
    end
  endfunction

  always @(posedge clk) if (rst_n) begin
    if (last) begin
      if (counts) events = events + 1;
      note({224'd0, sum});
    end
    #200;
    last = next;
    next = valid;
    valid = chance(load);
    if (valid) begin
      a = gradient(0);
      b = gradient(0);
    end
  end
endmodule
`default_nettype wire

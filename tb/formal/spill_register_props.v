// Proves that words leave spill_register unchanged, once and in order, and that a word stays at the output
// until it is accepted. One word passes per cycle while the receiver is ready; otherwise, the register stores
// two words.
`default_nettype none
module spill_register_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire reset = $anyseq;
  wire rst_n = started && !reset;
  wire comes = $anyseq, ready = $anyseq;
  wire [1:0] data = $anyseq, front;
  wire place, valid;
  wire offered = comes && rst_n;
  spill_register #(.WIDTH(2)) dut (
    .clk_i(clk_i), .rst_ni(rst_n), .valid_i(offered), .ready_o(place), .data_i(data), .valid_o(valid), .ready_i(ready), .data_o(front));

  // The expected contents, with the oldest word at index 0.
  reg [5:0] model = 6'd0;
  reg [1:0] held = 2'd0;
  reg       known = 1'b0;  // the register has been reset
  wire      goes = valid && ready;
  wire      enters = offered && place;
  wire [5:0] rest = goes ? model >> 2 : model;
  wire [1:0] left = goes ? held - 2'd1 : held;
  always @(posedge clk_i) begin
    if (!rst_n) begin
      held <= 2'd0;
      known <= 1'b1;
    end else begin
      model <= enters ? (rest & ~(6'd3 << {left, 1'b0})) | ({4'd0, data} << {left, 1'b0}) : rest;
      held <= enters ? left + 2'd1 : left;
      if (known) begin
        assert (held <= 2'd2);
        assert (valid == (held != 2'd0));
        assert (place == (held != 2'd2));
        if (valid) assert (front == model[1:0]);
        cover (held == 2'd2 && goes);
      end
    end
  end
endmodule
`default_nettype wire

// Proves that dma_address_generator requests the words of every message exactly once, in issue order, and
// announces each request one cycle earlier.
`default_nettype none
module dma_address_generator_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire push = $anyseq, ready = $anyseq;
  wire [3:0] address = $anyseq;
  wire [2:0] words = $anyseq;
  wire valid, busy;
  wire [3:0] asked, next_address;
  wire [1:0] lanes, next_lanes;
  wire next;
  dma_address_generator #(.ADDR_W(4), .LEN_W(3), .LANES(2)) dut (
    .clk_i(clk_i), .rst_ni(started), .push_i(push), .address_i(address), .words_i(words), .req_valid_o(valid),
    .req_address_o(asked), .req_lanes_o(lanes), .req_ready_i(ready), .next_o(next), .next_address_o(next_address),
    .next_lanes_o(next_lanes), .busy_o(busy));
  reg [5:0] told;
  always @(posedge clk_i) if (next) told <= {next_lanes, next_address};
  // The model: the remaining words of the current message, and the message after it.
  reg [1:0] held = 2'd0;
  reg [3:0] address0 = 4'd0, address1 = 4'd0;
  reg [2:0] words0 = 3'd0, words1 = 3'd0;
  wire sends = held != 2'd0 && ready;
  wire ends = sends && words0 <= 3'd2;
  always @(posedge clk_i) begin
    if (started) begin
      assume (!push || (held < 2'd2 && words != 3'd0));
      assert (valid == (held != 2'd0));
      assert (busy == valid);
      if (valid) assert (asked == address0);
      if (valid) assert (lanes == {words0 > 3'd1, 1'b1});
      if (valid) assert ({lanes, asked} == told);
      held <= held + {1'b0, push} - {1'b0, ends};
      if (ends) begin
        address0 <= held == 2'd2 ? address1 : address;
        words0 <= held == 2'd2 ? words1 : words;
      end else if (held == 2'd0) begin
        address0 <= address;
        words0 <= words;
      end else if (sends) begin
        address0 <= address0 + 4'd2;
        words0 <= words0 - 3'd2;
      end
      if (push) begin
        address1 <= address;
        words1 <= words;
      end
    end
  end
endmodule
`default_nettype wire

// Properties of vc_buffer, which is pushed only within its credits and popped only while it has a front.
// Flits leave unchanged, once and in order. A flit that enters an empty buffer can leave in the same cycle,
// and a flit that was popped stays visible for another cycle. The outputs `valid` and `more` are correct.
`default_nettype none
module vc_buffer_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire push = $anyseq, pop = $anyseq;
  wire [3:0] data = $anyseq;
  wire [3:0] front, last;
  wire valid, more;
  vc_buffer #(.WIDTH(4), .DEPTH(4), .ADDR_W(2)) dut (
    .clk_i(clk_i), .rst_ni(started), .push_i(push), .data_i(data), .pop_i(pop), .data_o(front), .last_o(last),
    .valid_o(valid), .more_o(more));

  // The expected contents, with the oldest flit at index 0.
  reg [15:0] model = 16'd0;
  reg [2:0] held = 3'd0;
  wire [19:0] all = {4'd0, model} | ({16'd0, data} << {held, 2'd0});
  wire [19:0] now = push ? all : {4'd0, model};
  wire [2:0] there = held + {2'd0, push};
  wire [19:0] rest = now >> 4;
  reg popped = 1'b0;
  reg [3:0] gone;  // the flit that was at the front in the previous cycle
  always @(posedge clk_i) begin
    if (started) begin
      assume (!push || held < 3'd4);
      assume (!pop || valid);
      assert (valid == (there != 3'd0));
      assert (more == (there > 3'd1));
      if (valid) assert (front == now[3:0]);
      if (popped) assert (last == gone);
      popped <= pop;
      gone <= now[3:0];
      model <= pop ? rest[15:0] : now[15:0];
      held <= there - {2'd0, pop};
    end
  end
endmodule
`default_nettype wire

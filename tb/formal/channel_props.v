// Proves that marks and their data leave a channel LATENCY cycles after they enter it, and that a reset
// discards marks in flight.
`default_nettype none
module channel_props (input wire clk_i);
  localparam LATENCY = 3;
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire reset = $anyseq;
  wire rst_n = started && !reset;
  wire [1:0] marks = $anyseq, marks_out;
  wire [1:0] data = $anyseq, data_out;
  channel #(.MARKS(2), .WIDTH(2), .LATENCY(LATENCY)) dut (
    .clk_i(clk_i), .rst_ni(rst_n), .marks_i(marks), .data_i(data), .marks_o(marks_out), .data_o(data_out));

  // The inputs of the previous cycles, with the most recent ones at index 0.
  reg [2*LATENCY-1:0] marks_before = 0, data_before = 0;
  always @(posedge clk_i) begin
    marks_before <= rst_n ? {marks_before[2*LATENCY-3:0], marks} : {(2*LATENCY){1'b0}};
    data_before <= {data_before[2*LATENCY-3:0], data};
    if (started) begin
      assert (marks_out == marks_before[2*LATENCY-1-:2]);
      if (marks_out != 2'd0) assert (data_out == data_before[2*LATENCY-1-:2]);
      cover (marks_out == 2'd3);
    end
  end
endmodule
`default_nettype wire

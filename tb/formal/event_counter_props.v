// Proves that event_counter outputs the number of events that occurred before the previous cycle, and that it
// saturates.
`default_nettype none
module event_counter_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [2:0] events = $anyseq;
  wire clear = $anyseq;
  wire clears = clear || !started;
  wire [3:0] count;
  event_counter #(.EVENTS(3), .COUNT_W(4)) dut (.clk_i(clk_i), .clear_i(clears), .event_i(events), .count_o(count));

  reg [4:0] model = 5'd0;  // number of events, including those of the previous cycle
  reg [4:0] told = 5'd0;   // number of events, excluding those of the previous cycle
  wire [4:0] more = model + {4'd0, events[0]} + {4'd0, events[1]} + {4'd0, events[2]};
  always @(posedge clk_i) begin
    model <= clears ? 5'd0 : more > 5'd15 ? 5'd15 : more;
    told <= clears ? 5'd0 : model;
    if (started) assert (count == told[3:0]);
    if (started) cover (count == 4'd15 && told == 5'd15 && model == 5'd15);
  end
endmodule
`default_nettype wire

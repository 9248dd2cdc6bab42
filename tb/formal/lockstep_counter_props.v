// Proves that lockstep_counter releases a step exactly at the nominal end of the previous steps, minus the
// flits of the last step that are absorbed.
`default_nettype none
module lockstep_counter_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  reg [7:0] now = 8'd0;
  wire [1:0] gated = $anyseq;  // the number of cycles for which the clock is stopped
  wire load = $anyseq;
  wire [7:0] duration = $anyseq;
  wire [7:0] absorbed = $anyseq;
  wire hold;
  wire [7:0] release_at, value;
  lockstep_counter #(.TIME_W(8)) dut (
    .clk_i(clk_i), .rst_ni(started), .now_i(now), .load_i(load), .duration_i(duration), .absorbed_i(absorbed),
    .hold_o(hold), .release_o(release_at), .value_o(value));

  // The model counts the cycles until the nominal end and until the release down to 0.
  reg [7:0] to_end = 8'd0;
  reg [7:0] to_release = 8'd0;
  wire [7:0] passes = {6'd0, gated} + 8'd1;
  wire [7:0] new_end = to_end + duration;
  wire [7:0] new_release = new_end - absorbed;
  wire [7:0] from_end = load ? new_end : to_end;
  wire [7:0] from_release = load ? new_release : to_release;
  // The counter requires that a port is never idle for half of the counter's range. `idle` counts the cycles
  // since the nominal end.
  reg [7:0] idle = 8'd0;
  always @(posedge clk_i) begin
    if (started) begin
      assume (absorbed <= duration && duration != 8'd0 && duration < 8'd16);
      assume (!load || !hold);
      assume (idle < 8'd40);
      now <= now + passes;
      to_end <= from_end > passes ? from_end - passes : 8'd0;
      to_release <= from_release > passes ? from_release - passes : 8'd0;
      idle <= load ? 8'd0 : from_end > passes ? 8'd0 : idle + passes;
      assert (hold == (to_release != 8'd0));
      assert (value == to_release);
    end
  end
endmodule
`default_nettype wire

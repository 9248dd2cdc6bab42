// Holds back a port's next timestep for the estimated serialization time of the current one (MultiTree, NI
// lockstep). A step loaded in cycle c occupies the link from c, or from the nominal end of the step before if
// that is later, for duration_i cycles; the next may start that long after, less absorbed_i. Instead of
// counting down it compares with the always-running cycle counter now_i, so the clock of a waiting NI may be
// gated. Times are modulo 2^TIME_W: a port that rests for more than half of that sees a wrong past.
`default_nettype none
module lockstep_counter #(
  parameter TIME_W = 32  // bits of the cycle counter
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire [TIME_W-1:0] now_i,
  input  wire              load_i,
  input  wire [TIME_W-1:0] duration_i,  // cycles
  input  wire [TIME_W-1:0] absorbed_i,  // cycles of it that do not hold back, at most duration_i
  output wire              hold_o,      // the next step may not start in this cycle
  output wire [TIME_W-1:0] release_o,   // the first cycle in which it may
  output wire [TIME_W-1:0] value_o      // cycles until then
);
  reg [TIME_W-1:0] nominal_end_q;
  reg [TIME_W-1:0] release_q;

  wire [TIME_W-1:0] to_end = nominal_end_q - now_i;
  wire [TIME_W-1:0] to_release = release_q - now_i;
  wire [TIME_W-1:0] begin_at = to_end[TIME_W-1] ? now_i : nominal_end_q;
  wire [TIME_W-1:0] nominal_end_d = begin_at + duration_i;

  assign hold_o = !to_release[TIME_W-1] && to_release != {TIME_W{1'b0}};
  assign release_o = release_q;
  assign value_o = hold_o ? to_release : {TIME_W{1'b0}};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      nominal_end_q <= {TIME_W{1'b0}};
      release_q <= {TIME_W{1'b0}};
    end else if (load_i) begin
      nominal_end_q <= nominal_end_d;
      release_q <= nominal_end_d - absorbed_i;
    end
  end
endmodule
`default_nettype wire

// Delays a port's next timestep by the estimated serialization time of the current one (MultiTree, NI lockstep). A step
// that is loaded in cycle c occupies the link for duration_i cycles, from c or, if that is later, from the nominal end
// of the previous step. The next step may start absorbed_i cycles before the link is free. Instead of counting down,
// the module compares times with the free-running cycle counter now_i, so that the clock of a waiting network interface
// can be gated. Times are modulo 2^TIME_W, so after an idle time of more than half this range, a past time is mistaken
// for a future one.
`default_nettype none
module lockstep_counter #(
  parameter TIME_W = 32  // width of the cycle counter
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire [TIME_W-1:0] now_i,
  input  wire              load_i,
  input  wire [TIME_W-1:0] duration_i,  // cycles for which the step occupies the link
  input  wire [TIME_W-1:0] absorbed_i,  // cycles by which the next step may start early, at most duration_i
  output wire              hold_o,      // the next step must not start in this cycle
  output wire [TIME_W-1:0] release_o,   // the first cycle in which the next step may start
  output wire [TIME_W-1:0] value_o      // cycles from now until release_o; 0 if it has passed
);
  reg [TIME_W-1:0] nominal_end_q;
  reg [TIME_W-1:0] release_q;

  // To shorten the path, the new end and release are computed for both cases, before it is known whether the previous
  // step has ended. absorbed_i is subtracted by adding its complement in a carry-save step, with a carry-in of 1.
  wire [TIME_W-1:0] to_end = nominal_end_q - now_i;
  wire              ended = to_end[TIME_W-1];
  wire [TIME_W-1:0] spared = ~absorbed_i;
  wire [TIME_W-1:0] end_sum = nominal_end_q ^ duration_i ^ spared;
  wire [TIME_W-1:0] end_carry = (nominal_end_q & duration_i) | (nominal_end_q & spared) | (duration_i & spared);
  wire [TIME_W-1:0] now_sum = now_i ^ duration_i ^ spared;
  wire [TIME_W-1:0] now_carry = (now_i & duration_i) | (now_i & spared) | (duration_i & spared);
  wire [TIME_W-1:0] end_after_end = nominal_end_q + duration_i;
  wire [TIME_W-1:0] end_after_now = now_i + duration_i;
  wire [TIME_W-1:0] release_after_end = end_sum + {end_carry[TIME_W-2:0], 1'b1};
  wire [TIME_W-1:0] release_after_now = now_sum + {now_carry[TIME_W-2:0], 1'b1};
  wire [TIME_W-1:0] to_release = release_q - now_i;
  wire unused = &{1'b0, to_end, end_carry, now_carry};

  // Decides whether release_q is later than now_i without a subtraction, by comparing all bits but the highest in
  // groups of doubling size. above: release_q is larger than now_i in the group; level: no bit of release_q is below
  // the same bit of now_i.
  localparam PAIRS_W = 1 << $clog2(TIME_W);
  reg [PAIRS_W-1:0] above, level;
  integer n;
  always @* begin
    above = {{(PAIRS_W - TIME_W + 1){1'b0}}, release_q[TIME_W-2:0] & ~now_i[TIME_W-2:0]};
    level = {{(PAIRS_W - TIME_W + 1){1'b1}}, release_q[TIME_W-2:0] | ~now_i[TIME_W-2:0]};
    for (n = 1; n < PAIRS_W; n = 2 * n) begin
      above = (above >> n) | ((level >> n) & above);
      level = (level >> n) & level;
    end
  end
  assign hold_o = release_q[TIME_W-1] == now_i[TIME_W-1] ? above[0] : !above[0] && !level[0];
  assign release_o = release_q;
  assign value_o = to_release & {TIME_W{!to_release[TIME_W-1]}};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      nominal_end_q <= {TIME_W{1'b0}};
      release_q <= {TIME_W{1'b0}};
    end else if (load_i) begin
      nominal_end_q <= ended ? end_after_now : end_after_end;
      release_q <= ended ? release_after_now : release_after_end;
    end
  end
endmodule
`default_nettype wire

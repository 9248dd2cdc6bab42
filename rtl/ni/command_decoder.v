// Decides combinationally whether the entry at the head of a port's table issues and, if not, what it is waiting
// for. The conditions are checked in this order: skipped line, lockstep, dependencies, free slot in the packetizer.
`default_nettype none
module command_decoder (
  input  wire       valid_i,      // the table has an entry
  input  wire       pass_i,       // the line at the head is skipped
  input  wire       nop_i,        // the entry is a nop
  input  wire       lockstep_i,   // lockstep is enabled
  input  wire       hold_i,       // the lockstep counter holds back the entry
  input  wire       satisfied_i,  // the entry's dependencies have arrived
  input  wire       place_i,      // the packetizer has a free slot
  output reg  [2:0] state_o,      // 0 done, 1 lockstep, 2 dependency, 3 queue, 4 issue, 5 nop, 6 pass
  output wire       issue_o,
  output wire       nop_o
);
  localparam [2:0] DONE = 3'd0, WAIT_LOCKSTEP = 3'd1, WAIT_DEPENDENCY = 3'd2, WAIT_QUEUE = 3'd3,
                   ISSUE = 3'd4, NOP = 3'd5, PASS = 3'd6;
  always @* begin
    if (!valid_i) state_o = DONE;
    else if (pass_i) state_o = PASS;
    else if (lockstep_i && hold_i) state_o = WAIT_LOCKSTEP;
    else if (nop_i) state_o = NOP;
    else if (!satisfied_i) state_o = WAIT_DEPENDENCY;
    else if (!place_i) state_o = WAIT_QUEUE;
    else state_o = ISSUE;
  end
  assign issue_o = state_o == ISSUE;
  assign nop_o = state_o == NOP;
endmodule
`default_nettype wire

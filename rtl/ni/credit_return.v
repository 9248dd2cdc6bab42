// Gives the router its credits back at a port's ejection channel: of a flit that comes, in the same cycle, as long as the
// reduction unit's queue has room for all flits whose places the router has; else later, one a cycle, the virtual
// channels in rotation. So the queue never overflows: flits that wait, and places out, are never more than QUEUE.
//
// Limits: at most one flit a cycle; VCS * CREDITS below QUEUE, or credits are held back though nothing waits.
`default_nettype none
module credit_return #(
  parameter VCS = 4,      // virtual channels, at least 2
  parameter VC_W = 2,     // log2(VCS), rounded up
  parameter CREDITS = 3,  // places of a virtual channel that the router has after reset
  parameter QUEUE = 16,   // flits that may wait
  parameter QUEUE_W = 4,  // log2(QUEUE)
  parameter GATES = 0     // 1: the clock stands still while no flit comes and nothing is owed
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire [VCS-1:0]   flit_valid_i,  // a flit arrives; one-hot by virtual channel
  input  wire [QUEUE_W:0] waiting_i,  // flits in the queue, before that of this cycle
  output wire [VCS-1:0]   credit_o,
  output wire             owes_o      // a credit was held back and is not given yet
);
  localparam COUNT_W = $clog2(CREDITS + 1);
  localparam ALL = VCS * CREDITS;
  localparam OUT_W = QUEUE_W + 1;
  localparam LAST_VC = VCS - 1;
  localparam [OUT_W:0] ROOM = QUEUE[OUT_W:0];

  reg  [VCS*COUNT_W-1:0] owed_q;
  reg  [OUT_W-1:0]       out_q;   // places that the router has, and flits on their way
  reg  [VC_W-1:0]        last_q;  // virtual channel that was given a held credit last
  wire [VCS-1:0] owes;
  wire           comes = |flit_valid_i;
  reg  [VCS-1:0] next;
  reg  [VC_W-1:0] candidate, chosen;
  reg  found;
  integer i;

  assign owes_o = |owes;
  // The first owed credit after the one returned last.
  always @* begin
    next = {VCS{1'b0}};
    found = 1'b0;
    candidate = last_q;
    chosen = last_q;
`ifdef VERILATOR
    if (owes_o)  // else none is found
`endif
    for (i = 0; i < VCS; i = i + 1) begin
      candidate = candidate == LAST_VC[VC_W-1:0] ? {VC_W{1'b0}} : candidate + 1'b1;
      if (!found && owes[candidate]) begin
        found = 1'b1;
        next[candidate] = 1'b1;
        chosen = candidate;
      end
    end
  end

  // An arriving flit changes nothing: one place less is outstanding, and the flit may wait.
  wire room = {1'b0, out_q} + {1'b0, waiting_i} < ROOM;
  assign credit_o = !room ? {VCS{1'b0}} : owes_o ? next : flit_valid_i;
  wire gives = |credit_o;
  wire clk;
  clock_gate #(.GATES(GATES)) i_gate (.clk_i(clk_i), .enable_i(!rst_ni || comes || owes_o), .clk_o(clk));

  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : g_vc
      assign owes[v] = owed_q[v*COUNT_W+:COUNT_W] != {COUNT_W{1'b0}};
      always @(posedge clk) begin
        if (!rst_ni) owed_q[v*COUNT_W+:COUNT_W] <= {COUNT_W{1'b0}};
        else if (flit_valid_i[v] && !credit_o[v]) owed_q[v*COUNT_W+:COUNT_W] <= owed_q[v*COUNT_W+:COUNT_W] + 1'b1;
        else if (credit_o[v] && !flit_valid_i[v]) owed_q[v*COUNT_W+:COUNT_W] <= owed_q[v*COUNT_W+:COUNT_W] - 1'b1;
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_ni) last_q <= LAST_VC[VC_W-1:0];
    else if (owes_o && gives) last_q <= chosen;
    if (!rst_ni) out_q <= ALL[OUT_W-1:0];
    else if (comes && !gives) out_q <= out_q - 1'b1;
    else if (gives && !comes) out_q <= out_q + 1'b1;
  end
endmodule
`default_nettype wire

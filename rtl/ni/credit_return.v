// Returns the credits of a port's ejection channel to the router. An ejected flit's credit is returned in the cycle in
// which the flit arrives if the reduction unit's queue has room for it and for all flits for which the router then
// holds credits. Otherwise the credit is held back; held-back credits are returned later, one per cycle, in rotation
// over the virtual channels. The queue never overflows because waiting flits and outstanding credits together never
// exceed QUEUE.
//
// Limits: at most one flit arrives per cycle. VCS * CREDITS must be below QUEUE; otherwise credits are held back even
// if no flit is waiting.
`default_nettype none
module credit_return #(
  parameter VCS = 4,      // virtual channels, at least 2
  parameter VC_W = 2,     // log2(VCS), rounded up
  parameter CREDITS = 3,  // credits per virtual channel that the router has after reset
  parameter QUEUE = 16,   // flits that may wait in the queue
  parameter QUEUE_W = 4,  // log2(QUEUE)
  parameter GATES = 0     // 1: gates the clock while no flit arrives and no credit is owed
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire [VCS-1:0]   flit_valid_i,  // a flit arrives; one-hot by virtual channel
  input  wire [QUEUE_W:0] waiting_i,  // flits in the queue, excluding a flit that arrives in this cycle
  output wire [VCS-1:0]   credit_o,
  output wire             owes_o      // at least one credit is being held back
);
  localparam COUNT_W = $clog2(CREDITS + 1);
  localparam ALL = VCS * CREDITS;
  localparam OUT_W = QUEUE_W + 1;
  localparam LAST_VC = VCS - 1;
  localparam [OUT_W:0] ROOM = QUEUE[OUT_W:0];

  reg  [VCS*COUNT_W-1:0] owed_q;
  reg  [OUT_W-1:0]       out_q;   // credits that the router holds, plus flits on their way to the queue
  reg  [VC_W-1:0]        last_q;  // virtual channel whose held-back credit was returned last
  wire [VCS-1:0] owes;
  wire           comes = |flit_valid_i;
  reg  [VCS-1:0] next;
  reg  [VC_W-1:0] candidate, chosen;
  reg  found;
  integer i;

  assign owes_o = |owes;
  // Selects the next virtual channel, in rotation, for which a credit is held back.
  always @* begin
    next = {VCS{1'b0}};
    found = 1'b0;
    candidate = last_q;
    chosen = last_q;
`ifdef VERILATOR
    if (owes_o)  // otherwise the loop finds nothing
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

  // An arriving flit does not change this sum: it uses up an outstanding credit but may have to wait in the queue.
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

// Assigns each packet a virtual channel of the router's input port: the first one with a credit, in rotation, beginning
// after the virtual channel used last. It sends one flit per cycle while credits are available; a credit can be used in
// the cycle in which it arrives. room_o is valid even without a flit and depends on whether the next flit is a head.
`default_nettype none
module injection_port #(
  parameter VCS = 4,      // virtual channels
  parameter VC_W = 2,     // width of a virtual channel number
  parameter CREDIT_W = 10, // width of a credit count
  parameter GATES = 0     // 1: gates the clock while no flit leaves and no credit arrives
) (
  input  wire                clk_i,
  input  wire                rst_ni,
  input  wire                load_i,          // loads the initial credits
  input  wire [VCS*CREDIT_W-1:0] credits_i,   // buffer slots of each virtual channel; 0 if the channel does not exist
  input  wire [VCS-1:0]      credit_i,        // one bit per virtual channel: a credit returns
  input  wire                flit_valid_i,
  input  wire                flit_head_i,
  output wire                room_o,          // a flit could leave in this cycle
  output wire                flit_taken_o,    // a flit leaves in this cycle
  output wire [VC_W-1:0]     vc_o
);
  reg [VCS*CREDIT_W-1:0] credits_q;
  reg [VC_W-1:0]         vc_q;  // virtual channel of the current packet or, between packets, of the last one

  localparam LAST_VC = VCS - 1;
  localparam [VC_W-1:0] LAST = LAST_VC[VC_W-1:0];
  wire [VCS-1:0] available, here;
  wire [VCS-1:0] behind = {VCS{1'b1}} << vc_q << 1;
  wire [VCS-1:0] above = available & behind;
  wire [VCS-1:0] from = |above ? above : available;
  wire [VCS-1:0] first = from & (~from + {{(VCS - 1){1'b0}}, 1'b1});
  wire           found = |available;
  reg  [VC_W-1:0] chosen;
  integer i;

  always @* begin
    chosen = found ? {VC_W{1'b0}} : vc_q;
    for (i = 0; i < VCS; i = i + 1) if (first[i]) chosen = chosen | i[VC_W-1:0];
  end

  assign vc_o = flit_head_i ? chosen : vc_q;
  assign room_o = flit_head_i ? found : |(available & here);
  assign flit_taken_o = flit_valid_i && room_o;

  wire clk;
  clock_gate #(.GATES(GATES)) i_gate (
    .clk_i(clk_i), .enable_i(!rst_ni || load_i || |credit_i || flit_taken_o), .clk_o(clk));
  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : g_vc
      localparam [VC_W-1:0] SELF = v;
      wire sends = flit_valid_i && (flit_head_i ? first[v] : here[v] && available[v]);
      assign here[v] = SELF == vc_q;
      assign available[v] = credit_i[v] || credits_q[v*CREDIT_W+:CREDIT_W] != {CREDIT_W{1'b0}};
      always @(posedge clk) begin
        if (!rst_ni) credits_q[v*CREDIT_W+:CREDIT_W] <= {CREDIT_W{1'b0}};
        else if (load_i) credits_q[v*CREDIT_W+:CREDIT_W] <= credits_i[v*CREDIT_W+:CREDIT_W];
        else if (credit_i[v] && !sends)
          credits_q[v*CREDIT_W+:CREDIT_W] <= credits_q[v*CREDIT_W+:CREDIT_W] + 1'b1;
        else if (!credit_i[v] && sends)
          credits_q[v*CREDIT_W+:CREDIT_W] <= credits_q[v*CREDIT_W+:CREDIT_W] - 1'b1;
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_ni || load_i) vc_q <= LAST;
    else if (flit_taken_o && flit_head_i) vc_q <= chosen;
  end
endmodule
`default_nettype wire

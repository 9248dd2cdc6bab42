// Measures a router with packets of LENGTH flits. Each input offers a flit in LOAD percent of the cycles,
// each packet has a random output, and a credit returns two cycles after its flit has left. `dut` is either
// the Verilog or its gates; both must produce the same check value.
`timescale 1ps/1ps
`default_nettype none
module tb;
  parameter PORTS = 8, VCS = 4, VC_W = 2, FLIT_W = 128, DEPTH = 64, CREDIT_W = 7, ROUTE_AT = 81, HOP_PORT_W = 3;
  parameter TYPE = 0;                 // 1 sends zeros instead of random words
  parameter LOAD = 35, LENGTH = 17, WARM = 100, CYCLES = 200, PERIOD = 10000, SEED = 1;
  `include "clock.vh"

  reg  [PORTS*CREDIT_W-1:0] credits = {PORTS{DEPTH[CREDIT_W-1:0]}};
  reg  [PORTS-1:0]          in_head = 0, in_tail = 0;
  reg  [PORTS*VCS-1:0]      in_valid = 0;
  reg                       sends;
  reg  [PORTS*FLIT_W-1:0]   in_flit = 0;
  reg  [PORTS*VCS-1:0]      in_credit = 0, leaves = 0;
  wire [PORTS*VCS-1:0]      out_credit;
  wire [PORTS-1:0]          out_valid, out_head, out_tail;
  wire [PORTS*VC_W-1:0]     out_vc;
  wire [PORTS*FLIT_W-1:0]   out_flit;
  dut i_dut (
    .clk_i(clk), .rst_ni(rst_n), .credits_i(credits), .flit_valid_i(in_valid), .flit_head_i(in_head),
    .flit_tail_i(in_tail), .flit_i(in_flit), .credit_o(out_credit), .flit_valid_o(out_valid), .flit_vc_o(out_vc),
    .flit_head_o(out_head), .flit_tail_o(out_tail), .flit_o(out_flit), .credit_i(in_credit));

  integer left [0:PORTS-1];           // remaining flits of each input's current packet
  integer waiting [0:PORTS-1];        // number of flits that are due at each input
  integer places [0:PORTS*VCS-1];     // credits of each input virtual channel
  integer vc [0:PORTS-1];
  integer p, v;
  reg [31:0] target;
  initial begin
    for (p = 0; p < PORTS; p = p + 1) begin
      left[p] = 0;
      waiting[p] = 0;
      vc[p] = 0;
    end
    for (p = 0; p < PORTS * VCS; p = p + 1) places[p] = DEPTH;
  end

  always @(posedge clk) if (rst_n) begin
    leaves = 0;
    for (p = 0; p < PORTS; p = p + 1)
      if (out_valid[p]) begin
        leaves[p*VCS+out_vc[p*VC_W+:VC_W]] = 1'b1;
        if (counts) events = events + 1;
        note({out_head[p], out_tail[p], out_flit[p*FLIT_W+:FLIT_W]} + p);
      end
    for (p = 0; p < PORTS * VCS; p = p + 1) if (out_credit[p]) places[p] = places[p] + 1;
    #200;
    in_credit = leaves;
    in_valid = 0;
    for (p = 0; p < PORTS; p = p + 1) begin
      if (chance(load)) waiting[p] = waiting[p] + 1;
      if (waiting[p] > 0 && left[p] == 0) begin
        left[p] = LENGTH;
        vc[p] = $unsigned($random(seed)) % VCS;
      end
      sends = waiting[p] > 0 && places[p*VCS+vc[p]] > 0;
      // While no flit is valid, the data inputs keep their values. Otherwise, unnecessary wire changes would
      // be counted.
      if (sends) begin
        in_valid[p*VCS+vc[p]] = 1'b1;
        in_head[p] = left[p] == LENGTH;
        in_tail[p] = left[p] == 1;
        for (v = 0; v < FLIT_W / 32; v = v + 1) in_flit[p*FLIT_W+v*32+:32] = TYPE == 1 ? 32'd0 : $random(seed);
        if (in_head[p]) begin
          target = $unsigned($random(seed)) % PORTS;
          in_flit[p*FLIT_W+ROUTE_AT+:HOP_PORT_W] = target;
          in_flit[p*FLIT_W+ROUTE_AT+HOP_PORT_W+:2*VC_W] = (VCS - 1) << VC_W;
        end
        left[p] = left[p] - 1;
        waiting[p] = waiting[p] - 1;
        places[p*VCS+vc[p]] = places[p*VCS+vc[p]] - 1;
      end
    end
  end
endmodule
`default_nettype wire

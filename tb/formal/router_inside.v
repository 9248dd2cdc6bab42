  // Within router: credits are conserved, and an output virtual channel has one packet.
  genvar f, h;
  generate
    for (f = 0; f < INPUTS; f = f + 1) begin : g_credits
      reg [CREDIT_W-1:0] away_q;  // places downstream that flits have
      wire [CREDIT_W-1:0] all = credits_i[(f/VCS)*CREDIT_W+:CREDIT_W];
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          away_q <= {CREDIT_W{1'b0}};
        end else begin
          assume (!credit_i[f] || away_q != {CREDIT_W{1'b0}});  // the neighbour gives back what it got
          away_q <= away_q + {{(CREDIT_W - 1){1'b0}}, used[f]} - {{(CREDIT_W - 1){1'b0}}, credit_i[f]};
          assert ({1'b0, credits_q[f*CREDIT_W+:CREDIT_W]} + {1'b0, away_q} == {1'b0, all});
          assert (!used[f] || credit_i[f] || away_q != all);
        end
      end
      // What it tells upstream: a place for each flit that leaves its buffer.
      always @* if (rst_ni) assert (!credit_o[f] || front_valid[f]);
      // Who sends has its output virtual channel for itself.
      wire [PORT_W+VC_W-1:0] has = {out_port_q[f*PORT_W+:PORT_W], out_vc_q[f*VC_W+:VC_W]};
      always @* if (rst_ni && state_q[f*2+:2] == SEND) assert (busy_q[has]);
      for (h = 0; h < f; h = h + 1) begin : g_other
        wire [PORT_W+VC_W-1:0] other = {out_port_q[h*PORT_W+:PORT_W], out_vc_q[h*VC_W+:VC_W]};
        always @* if (rst_ni && state_q[f*2+:2] == SEND && state_q[h*2+:2] == SEND) assert (has != other);
      end
      always @* if (rst_ni && used[f]) assert (busy_q[f]);
    end
  endgenerate
  // As many flits leave as places are told of.
  reg [INPUT_W:0] told, left;
  integer n;
  always @* begin
    told = {(INPUT_W + 1){1'b0}};
    left = {(INPUT_W + 1){1'b0}};
    for (n = 0; n < INPUTS; n = n + 1) told = told + {{INPUT_W{1'b0}}, credit_o[n]};
    for (n = 0; n < PORTS; n = n + 1) left = left + {{INPUT_W{1'b0}}, flit_valid_o[n]};
    if (rst_ni) assert (told == left);
  end
  // Every flit comes out as it was at the front of its buffer, a head with its route a hop further, by the port and virtual
  // channel that its packet has.
  genvar d;
  generate
    for (d = 0; d < PORTS; d = d + 1) begin : g_data
      wire [PORT_W-1:0] to = granted_port[d*PORT_W+:PORT_W];
      wire [INPUT_W-1:0] from = d * VCS + granted_vc[d*VC_W+:VC_W];
      wire [WORD_W-1:0] word = front[from*WORD_W+:WORD_W];
      wire [ROUTE_W-1:0] route = word[ROUTE_AT+:ROUTE_W] >> (word[WORD_W-1] ? HOP_W : 0);
      always @* begin
        if (rst_ni && granted[d]) begin
          assert (flit_valid_o[to] && flit_vc_o[to*VC_W+:VC_W] == out_vc_q[from*VC_W+:VC_W]);
          assert ({flit_head_o[to], flit_tail_o[to]} == word[WORD_W-1-:2]);
          assert (flit_o[to*FLIT_W+ROUTE_AT+:ROUTE_W] == route);
          assert (flit_o[to*FLIT_W+ROUTE_AT+ROUTE_W+:FLIT_W-ROUTE_AT-ROUTE_W] == word[FLIT_W-1:ROUTE_AT+ROUTE_W]);
          cover (word[WORD_W-1]);
        end
      end
    end
    // No packet stands still: a head asks for a virtual channel in the cycle behind it, and who has one and may send asks
    // for the switch, which serves somebody.
    for (d = 0; d < INPUTS; d = d + 1) begin : g_progress
      reg waited_q, had_q;
      wire may_send = state_q[d*2+:2] == SEND && front_valid[d] &&
                      (credit_i[{out_port_q[d*PORT_W+:PORT_W], out_vc_q[d*VC_W+:VC_W]}] ||
                       credits_q[{out_port_q[d*PORT_W+:PORT_W], out_vc_q[d*VC_W+:VC_W]}*CREDIT_W+:CREDIT_W] != 0);
      always @(posedge clk_i) begin
        waited_q <= rst_ni && (state_q[d*2+:2] == IDLE || state_q[d*2+:2] == ROUTE) && front_valid[d];
        had_q <= rst_ni && has_vc[d];
        if (rst_ni) begin
          // A buffer whose input rests is empty.
          if (state_q[d*2+:2] == IDLE)
            assert (!front_valid[d] || (flit_valid_i[d/VCS] && flit_vc_i[(d/VCS)*VC_W+:VC_W] == d % VCS));
          if (waited_q) assert (state_q[d*2+:2] == ASK_VC);
          if (had_q) assert (state_q[d*2+:2] == SEND);
          assert (asks_vc[d] == (state_q[d*2+:2] == ASK_VC));
          assert (!may_send || flit_valid_o != {PORTS{1'b0}});
        end
      end
    end
  endgenerate

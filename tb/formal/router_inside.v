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
      // Who sends has one output virtual channel, and for itself.
      wire [PORTS-1:0] port = out_port_q[f*PORTS+:PORTS];
      wire [VCS-1:0] vc = out_vc_q[f*VCS+:VCS];
      wire [INPUTS-1:0] has;
      for (h = 0; h < INPUTS; h = h + 1) begin : g_has
        assign has[h] = port[h/VCS] && vc[h%VCS];
      end
      always @* begin
        if (rst_ni && state_q[f*2+:2] != IDLE && state_q[f*2+:2] != ROUTE)
          assert (port != {PORTS{1'b0}} && (port & (port - 1'b1)) == {PORTS{1'b0}});
        if (rst_ni && state_q[f*2+:2] == SEND) begin
          assert (vc != {VCS{1'b0}} && (vc & (vc - 1'b1)) == {VCS{1'b0}});
          assert ((has & ~busy_q) == {INPUTS{1'b0}});
        end
      end
      for (h = 0; h < f; h = h + 1) begin : g_other
        always @* if (rst_ni && state_q[f*2+:2] == SEND && state_q[h*2+:2] == SEND) assert ((has & g_credits[h].has) == {INPUTS{1'b0}});
      end
      always @* if (rst_ni && used[f]) assert (busy_q[f]);
    end
  endgenerate
  wire [INPUTS-1:0] places;  // of output virtual channels: some
  generate
    for (f = 0; f < INPUTS; f = f + 1) begin : g_places
      assign places[f] = credits_q[f*CREDIT_W+:CREDIT_W] != {CREDIT_W{1'b0}};
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
      reg [PORT_W-1:0] to;
      reg [INPUT_W-1:0] from;
      reg [VC_W-1:0] vc;
      integer b;
      always @* begin
        to = {PORT_W{1'b0}};
        from = {INPUT_W{1'b0}};
        vc = {VC_W{1'b0}};
        for (b = 0; b < PORTS; b = b + 1) if (granted_port[d*PORTS+b]) to = b;
        for (b = 0; b < VCS; b = b + 1) if (granted[d*VCS+b]) from = d * VCS + b;
        for (b = 0; b < VCS; b = b + 1) if (out_vc_q[from*VCS+b]) vc = b;
      end
      wire [WORD_W-1:0] word = front[from*WORD_W+:WORD_W];
      wire [ROUTE_W-1:0] route = word[ROUTE_AT+:ROUTE_W] >> (word[WORD_W-1] ? HOP_W : 0);
      always @* begin
        if (rst_ni && |granted[d*VCS+:VCS]) begin
          assert (flit_valid_o[to] && flit_vc_o[to*VC_W+:VC_W] == vc);
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
      wire may_send = state_q[d*2+:2] == SEND && front_valid[d] && |(g_credits[d].has & (credit_i | places));
      always @(posedge clk_i) begin
        waited_q <= rst_ni && (state_q[d*2+:2] == IDLE || state_q[d*2+:2] == ROUTE) && front_valid[d];
        had_q <= rst_ni && |new_vc[d*VCS+:VCS];
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

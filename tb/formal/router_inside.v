  // Proves, inside router, that credits are conserved and that at most one packet uses an output virtual
  // channel at a time.
  wire [INPUTS-1:0] places;  // [output VC]: has a credit besides that of the flit before the crossbar
  genvar f, h;
  generate
    for (f = 0; f < INPUTS; f = f + 1) begin : g_credits
      reg [CREDIT_W-1:0] away_q;  // number of occupied slots downstream
      wire [CREDIT_W-1:0] all = credits_i[(f/VCS)*CREDIT_W+:CREDIT_W];
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          away_q <= {CREDIT_W{1'b0}};
        end else begin
          assume (!credit_i[f] || away_q != {CREDIT_W{1'b0}});  // the neighbour returns only occupied slots
          away_q <= away_q + {{(CREDIT_W - 1){1'b0}}, used[f]} - {{(CREDIT_W - 1){1'b0}}, credit_i[f]};
          assert ({1'b0, credits_q[f*CREDIT_W+:CREDIT_W]} + {1'b0, away_q} == {1'b0, all});
          assert (!used[f] || credits_q[f*CREDIT_W+:CREDIT_W] != {CREDIT_W{1'b0}});
        end
      end
      // A credit is sent upstream only if a flit leaves its buffer.
      always @* if (rst_ni) assert (!credit_o[f] || front_valid[f]);
      // An input that sends owns exactly one output virtual channel, which no other input owns.
      wire [PORTS-1:0] port = out_port_q[f*PORTS+:PORTS];
      wire [VCS-1:0] vc = out_vc_q[f*VCS+:VCS];
      wire [INPUTS-1:0] has;
      for (h = 0; h < INPUTS; h = h + 1) begin : g_has
        assign has[h] = port[h/VCS] && vc[h%VCS];
      end
      always @* begin
        if (rst_ni && state_q[f*3+:3] != IDLE && state_q[f*3+:3] != ROUTE)
          assert (port != {PORTS{1'b0}} && (port & (port - 1'b1)) == {PORTS{1'b0}});
        if (rst_ni && state_q[f*3+:3] == SEND) begin
          assert (vc != {VCS{1'b0}} && (vc & (vc - 1'b1)) == {VCS{1'b0}});
          assert ((has & ~busy_q) == {INPUTS{1'b0}});
          assert (place_q[f] == |(has & places));
        end
      end
      // The winner of the previous cycle still owns its output virtual channel while its flit is before the
      // crossbar.
      wire holds = state_q[f*3+:3] == SEND || sent_q[f];
      for (h = 0; h < f; h = h + 1) begin : g_other
        always @* if (rst_ni && holds && g_credits[h].holds) assert ((has & g_credits[h].has) == {INPUTS{1'b0}});
      end
      always @* begin
        if (rst_ni && sent_q[f]) begin
          assert (state_q[f*3+:3] != ASK_VC && (state_q[f*3+:3] == SEND) == !chosen_tail_q[f/VCS]);
          assert (port != {PORTS{1'b0}} && (port & (port - 1'b1)) == {PORTS{1'b0}});
          assert (vc != {VCS{1'b0}} && (vc & (vc - 1'b1)) == {VCS{1'b0}});
          assert ((has & ~busy_q) == {INPUTS{1'b0}});
          assert (won_q[(f/VCS)*PORTS+:PORTS] == port && chosen_vc_q[(f/VCS)*VCS+:VCS] == vc);
        end
      end
      always @* if (rst_ni && used[f]) assert (busy_q[f]);
    end
  endgenerate
  generate
    for (f = 0; f < INPUTS; f = f + 1) begin : g_places
      assign places[f] = credits_q[f*CREDIT_W+:CREDIT_W] != {{(CREDIT_W-1){1'b0}}, used[f]};
    end
    // At most one flit per input is before the crossbar, and no two of these flits have the same output.
    for (f = 0; f < PORTS; f = f + 1) begin : g_won
      wire [VCS-1:0]   sent = sent_q[f*VCS+:VCS];
      wire [PORTS-1:0] won = won_q[f*PORTS+:PORTS];
      always @* begin
        if (rst_ni) begin
          assert ((sent & (sent - 1'b1)) == {VCS{1'b0}} && (won & (won - 1'b1)) == {PORTS{1'b0}});
          assert (|sent == |won);
        end
      end
      for (h = 0; h < f; h = h + 1) begin : g_other
        always @* if (rst_ni) assert ((won & g_won[h].won) == {PORTS{1'b0}});
      end
    end
  endgenerate
  // In each cycle, as many flits leave as credits were sent upstream in the previous cycle.
  reg [INPUT_W:0] told, told_q, left;
  always @(posedge clk_i) told_q <= rst_ni ? told : {(INPUT_W + 1){1'b0}};
  integer n;
  always @* begin
    told = {(INPUT_W + 1){1'b0}};
    left = {(INPUT_W + 1){1'b0}};
    for (n = 0; n < INPUTS; n = n + 1) told = told + {{INPUT_W{1'b0}}, credit_o[n]};
    for (n = 0; n < PORTS; n = n + 1) left = left + {{INPUT_W{1'b0}}, flit_valid_o[n]};
    if (rst_ni) assert (told_q == left);
  end
  // A flit leaves one cycle after it was granted the switch, on the port and virtual channel of its packet.
  // It is unchanged, except that the first hop is removed from a head's route.
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
      reg              won_before_q;
      reg [PORT_W-1:0] to_q;
      reg [VC_W-1:0]   vc_q;
      reg [WORD_W-1:0] word;  // the flit when it was granted the switch
      always @(posedge clk_i) begin
        won_before_q <= rst_ni && |granted[d*VCS+:VCS];
        to_q <= to;
        vc_q <= vc;
        word <= front[from*WORD_W+:WORD_W];
      end
      wire [ROUTE_W-1:0] route = word[ROUTE_AT+:ROUTE_W] >> (word[WORD_W-1] ? HOP_W : 0);
      always @* begin
        if (rst_ni && won_before_q) begin
          assert (flit_valid_o[to_q] && flit_vc_o[to_q*VC_W+:VC_W] == vc_q);
          assert ({flit_head_o[to_q], flit_tail_o[to_q]} == word[WORD_W-1-:2]);
          assert (flit_o[to_q*FLIT_W+ROUTE_AT+:ROUTE_W] == route);
          assert (flit_o[to_q*FLIT_W+ROUTE_AT+ROUTE_W+:FLIT_W-ROUTE_AT-ROUTE_W] == word[FLIT_W-1:ROUTE_AT+ROUTE_W]);
          cover (word[WORD_W-1]);
        end
      end
    end
    // No packet stalls. A waiting head requests a virtual channel in the next cycle. An input that can send
    // requests the switch, which grants at least one request.
    for (d = 0; d < INPUTS; d = d + 1) begin : g_progress
      reg waited_q, had_q;
      wire may_send = state_q[d*3+:3] == SEND && front_valid[d] && |(g_credits[d].has & (credit_i | places));
      always @(posedge clk_i) begin
        waited_q <= rst_ni && (state_q[d*3+:3] == IDLE || state_q[d*3+:3] == ROUTE) && front_valid[d];
        had_q <= rst_ni && |new_vc[d*VCS+:VCS];
        if (rst_ni) begin
          // An idle input has an empty buffer.
          if (state_q[d*3+:3] == IDLE)
            assert (!front_valid[d] || flit_valid_i[d]);
          if (waited_q) assert (state_q[d*3+:3] == ASK_VC);
          if (had_q) assert (state_q[d*3+:3] == SEND);
          assert (asks_vc[d] == (state_q[d*3+:3] == ASK_VC));
          assert (!may_send || granted != {INPUTS{1'b0}});
        end
      end
    end
  endgenerate

  // Within router: credits are conserved, and an output virtual channel has one packet.
  genvar f, h;
  generate
    for (f = 0; f < INPUTS; f = f + 1) begin : g_credits
      reg [CREDIT_W-1:0] away_q;  // places downstream that flits have
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          away_q <= {CREDIT_W{1'b0}};
        end else begin
          assume (!credit_i[f] || away_q != {CREDIT_W{1'b0}});  // the neighbour gives back what it got
          away_q <= away_q + {{(CREDIT_W - 1){1'b0}}, used[f]} - {{(CREDIT_W - 1){1'b0}}, credit_i[f]};
          assert ({1'b0, credits_q[f*CREDIT_W+:CREDIT_W]} + {1'b0, away_q} == {1'b0, credits_i});
          assert (!used[f] || credit_i[f] || away_q != credits_i);
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

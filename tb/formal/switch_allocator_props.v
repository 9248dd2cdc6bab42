// Proves that switch_allocator grants an output to at most one input, grants only what was requested, and
// lets an input send from one virtual channel to one output. If there are requests, at least one is granted.
// If only one input has requests, one of them is granted.
`default_nettype none
module switch_allocator_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [17:0] request = $anyseq;  // for three inputs with two virtual channels each, one bit per output
  wire [5:0] vc;
  wire [8:0] port;
  switch_allocator #(.PORTS(3), .VCS(2)) dut (
    .clk_i(clk_i), .rst_ni(started), .request_i(request), .vc_o(vc), .port_o(port));
  wire [2:0] asks = {|request[17:12], |request[11:6], |request[5:0]};
  wire [2:0] granted = {|vc[5:4], |vc[3:2], |vc[1:0]};
  integer i;
  always @(posedge clk_i) begin
    for (i = 0; i < 6; i = i + 1) assume ((request[3*i+:3] & (request[3*i+:3] - 3'd1)) == 3'd0);
    if (started) begin
      for (i = 0; i < 3; i = i + 1) begin
        assert (vc[2*i+:2] != 2'd3);
        assert ((port[3*i+:3] & (port[3*i+:3] - 3'd1)) == 3'd0);
        assert (granted[i] == (port[3*i+:3] != 3'd0));
        if (vc[2*i]) assert ((request[6*i+:3] & port[3*i+:3]) != 3'd0);
        if (vc[2*i+1]) assert ((request[6*i+3+:3] & port[3*i+:3]) != 3'd0);
      end
      assert ((port[2:0] & port[5:3]) == 3'd0);
      assert ((port[2:0] & port[8:6]) == 3'd0);
      assert ((port[5:3] & port[8:6]) == 3'd0);
      if (request != 18'd0) assert (granted != 3'd0);
      if (asks == 3'd1 || asks == 3'd2 || asks == 3'd4) assert (granted == asks);
    end
  end
endmodule
`default_nettype wire

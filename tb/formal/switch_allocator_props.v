// switch_allocator: no output is given to two inputs, every winner asked for what it gets, something is given whenever
// anything is asked for, and an input that asks alone, for one output, is served.
`default_nettype none
module switch_allocator_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [5:0] request = $anyseq;   // of three inputs, two virtual channels each
  wire [11:0] out_port = $anyseq;
  wire [2:0] granted, vc;
  wire [5:0] port;
  switch_allocator #(.PORTS(3), .PORT_W(2), .VCS(2), .VC_W(1)) dut (
    .clk_i(clk_i), .rst_ni(started), .request_i(request), .out_port_i(out_port), .granted_o(granted), .vc_o(vc),
    .port_o(port));
  wire [2:0] asks = {|request[5:4], |request[3:2], |request[1:0]};
  integer i;
  always @(posedge clk_i) begin
    for (i = 0; i < 6; i = i + 1) assume (out_port[2*i+:2] != 2'd3);
    if (started) begin
      for (i = 0; i < 3; i = i + 1) begin
        if (granted[i]) begin
          assert (request[2*i+vc[i]]);
          assert (out_port[2*(2*i+vc[i])+:2] == port[2*i+:2]);
        end
      end
      if (granted[0] && granted[1]) assert (port[1:0] != port[3:2]);
      if (granted[0] && granted[2]) assert (port[1:0] != port[5:4]);
      if (granted[1] && granted[2]) assert (port[3:2] != port[5:4]);
      if (request != 6'd0) assert (granted != 3'd0);
      if (asks == 3'd1 || asks == 3'd2 || asks == 3'd4) assert (granted == asks);
    end
  end
endmodule
`default_nettype wire

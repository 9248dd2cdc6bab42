// Proves that vc_allocator gives an output virtual channel to at most one packet, only while the channel is
// free, and only to a packet that requests its port and may use it. If only one packet has a request and a
// virtual channel that it may use is free, the request is granted.
`default_nettype none
module vc_allocator_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [3:0] request = $anyseq;   // for two ports with two virtual channels each
  wire [3:0] out_port = $anyseq;  // the output port of each request
  wire [7:0] allowed = $anyseq;
  wire [3:0] free = $anyseq;
  wire [7:0] vc;
  wire [3:0] taken;
  vc_allocator #(.PORTS(2), .VCS(2), .INPUTS(4), .INPUT_W(2)) dut (
    .clk_i(clk_i), .rst_ni(started), .request_i(request),
    .out_port_i({out_port[3], !out_port[3], out_port[2], !out_port[2], out_port[1], !out_port[1], out_port[0], !out_port[0]}),
    .allowed_i(allowed), .free_i(free), .vc_o(vc), .taken_o(taken));
  reg [3:0] given;  // output virtual channels that the grants allocate
  reg twice;
  integer i, v;
  always @* begin
    given = 4'd0;
    twice = 1'b0;
    for (i = 0; i < 4; i = i + 1) begin
      for (v = 0; v < 2; v = v + 1) begin
        if (vc[2*i+v]) begin
          if (given[{out_port[i], v[0]}]) twice = 1'b1;
          given[{out_port[i], v[0]}] = 1'b1;
        end
      end
    end
  end
  integer n;
  always @(posedge clk_i) begin
    if (started) begin
      assert (!twice);
      assert (given == taken);
      assert ((taken & ~free) == 4'd0);
      for (n = 0; n < 4; n = n + 1) begin
        assert (vc[2*n+:2] != 2'd3);
        assert (request[n] || vc[2*n+:2] == 2'd0);
        assert ((vc[2*n+:2] & ~allowed[2*n+:2]) == 2'd0);
        if (request == 4'd1 << n && (allowed[2*n+:2] & free[2*out_port[n]+:2]) != 2'd0) assert (vc[2*n+:2] != 2'd0);
      end
    end
  end
endmodule
`default_nettype wire

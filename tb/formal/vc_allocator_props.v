// vc_allocator: an output virtual channel is given to one packet, only while it is free, and only to one that asked
// and may have it; a packet that asks alone is served if anything it may have is free.
`default_nettype none
module vc_allocator_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [3:0] request = $anyseq;   // of two ports, two virtual channels each
  wire [3:0] out_port = $anyseq;  // of each
  wire [7:0] allowed = $anyseq;
  wire [3:0] free = $anyseq;
  wire [3:0] granted, vc, taken;
  vc_allocator #(.PORTS(2), .PORT_W(1), .VCS(2), .VC_W(1), .INPUTS(4), .INPUT_W(2)) dut (
    .clk_i(clk_i), .rst_ni(started), .request_i(request), .out_port_i(out_port), .allowed_i(allowed), .free_i(free),
    .granted_o(granted), .vc_o(vc), .taken_o(taken));
  reg [3:0] given;  // by the inputs' own account
  reg twice;
  integer i;
  always @* begin
    given = 4'd0;
    twice = 1'b0;
    for (i = 0; i < 4; i = i + 1) begin
      if (granted[i]) begin
        if (given[{out_port[i], vc[i]}]) twice = 1'b1;
        given[{out_port[i], vc[i]}] = 1'b1;
      end
    end
  end
  integer n;
  always @(posedge clk_i) begin
    if (started) begin
      assert (!twice);
      assert (given == taken);
      assert ((taken & ~free) == 4'd0);
      assert ((granted & ~request) == 4'd0);
      for (n = 0; n < 4; n = n + 1) begin
        if (granted[n]) assert (allowed[2*n+vc[n]]);
        if (request == 4'd1 << n && (allowed[2*n+:2] & free[2*out_port[n]+:2]) != 2'd0) assert (granted[n]);
      end
    end
  end
endmodule
`default_nettype wire

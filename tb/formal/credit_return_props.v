// Instantiates credit_return for the properties in credit_return_inside.v. The queue may drain at any time,
// and the router may send whenever it has free slots.
`default_nettype none
module credit_return_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire valid = $anyseq, vc = $anyseq;
  wire [3:0] waiting = $anyseq;
  wire [1:0] credit;
  wire owes;
  credit_return #(.VCS(2), .VC_W(1), .CREDITS(3), .QUEUE(8), .QUEUE_W(3)) dut (
    .clk_i(clk_i), .rst_ni(started), .flit_valid_i({vc && valid, !vc && valid}), .waiting_i(waiting), .credit_o(credit),
    .owes_o(owes));
endmodule
`default_nettype wire

// A channel between two nodes. Flits and credits travel in opposite directions, each taking LATENCY cycles.
`default_nettype none
module link #(
  parameter VCS = 4,       // virtual channels, at least 2
  parameter FLIT_W = 128,  // flit width
  parameter LATENCY = 1,   // cycles, at least 0
  // These parameters are derived from the others; do not set them.
  parameter VC_W = $clog2(VCS)
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  // Ports of the node that sends flits.
  input  wire              flit_valid_i,
  input  wire [VC_W-1:0]   flit_vc_i,
  input  wire              flit_head_i,
  input  wire              flit_tail_i,
  input  wire [FLIT_W-1:0] flit_i,
  output wire [VCS-1:0]    credit_o,
  // Ports of the node that receives flits.
  output wire              flit_valid_o,
  output wire [VC_W-1:0]   flit_vc_o,
  output wire              flit_head_o,
  output wire              flit_tail_o,
  output wire [FLIT_W-1:0] flit_o,
  input  wire [VCS-1:0]    credit_i
);
  delay_line #(.MARKS(1), .WIDTH(VC_W + 2 + FLIT_W), .LATENCY(LATENCY)) i_flits (
    .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(flit_valid_i), .marks_o(flit_valid_o),
    .data_i({flit_vc_i, flit_head_i, flit_tail_i, flit_i}), .data_o({flit_vc_o, flit_head_o, flit_tail_o, flit_o}));
  wire unused;
  delay_line #(.MARKS(VCS), .WIDTH(1), .LATENCY(LATENCY)) i_credits (
    .clk_i(clk_i), .rst_ni(rst_ni), .marks_i(credit_i), .marks_o(credit_o), .data_i(1'b0), .data_o(unused));
endmodule
`default_nettype wire

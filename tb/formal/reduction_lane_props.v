// Proves that reduction_lane outputs the sum two cycles after its operands, which may arrive in any cycle,
// for fp32, for two independent bf16 halves and for integers. The adders are replaced.
`default_nettype none
module reduction_lane_props (input wire clk_i);
  wire [1:0]  kind = $anyconst;
  wire        valid = $anyseq;
  wire [31:0] a = $anyseq;
  wire [31:0] b = $anyseq;
  wire [31:0] sum;
  reg         next = 1'b0, last = 1'b0;
  reg  [31:0] a1, b1, a2, b2;
  reduction_lane dut (
    .clk_i(clk_i), .valid_i(valid), .next_i(next), .type_i(kind), .a_i(a), .b_i(b), .sum_o(sum));
  wire [31:0] single = (a2 + b2) ^ 32'h20000000;
  wire [15:0] upper = (a2[31:16] + b2[31:16]) ^ 16'h6000;
  wire [15:0] lower = (a2[15:0] + b2[15:0]) ^ 16'h2000;
  always @(posedge clk_i) begin
    assume (kind != 2'd3);
    next <= valid;
    last <= next;
    {a1, b1, a2, b2} <= {a, b, a1, b1};
    if (last) assert (sum == (kind == 2'd0 ? single : kind == 2'd1 ? {upper, lower} : a2 + b2));
    cover (last && next && !valid && kind == 2'd1);
    cover (last && !next && valid && kind == 2'd2);
  end
endmodule
`default_nettype wire

// Proves that lane i of operand_feeder requests addresses 0 to depth - 1 in order, one per cycle, beginning i
// cycles after the start, and that lanes outside the tile request nothing. Covers lanes in ascending and in
// descending order.
`default_nettype none
module operand_feeder_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  localparam LANES = 3;
  wire [1:0] lanes = $anyseq;
  wire [2:0] depth = $anyseq;
  wire wants = $anyseq;
  reg        busy_q = 1'b0;
  reg  [1:0] lanes_q;
  reg  [2:0] depth_q;
  reg  [3:0] time_q;  // cycles since the start
  wire start = started && wants && !busy_q;
  wire [2:0] read_down, read_up;
  wire [8:0] address_down, address_up;
  operand_feeder #(.LANES(LANES), .LANE_W(2), .DEPTH_W(3), .REVERSE(0)) down (
    .clk_i(clk_i), .rst_ni(started), .start_i(start), .lanes_i(lanes), .depth_i(depth), .read_o(read_down),
    .address_o(address_down));
  operand_feeder #(.LANES(LANES), .LANE_W(2), .DEPTH_W(3), .REVERSE(1)) up (
    .clk_i(clk_i), .rst_ni(started), .start_i(start), .lanes_i(lanes), .depth_i(depth), .read_o(read_up),
    .address_o(address_up));

  wire [1:0] used = start ? lanes : lanes_q;
  wire [2:0] length = start ? depth : depth_q;
  wire [3:0] now = start ? 4'd0 : time_q;
  wire active = start || busy_q;
  wire last = now == {2'd0, used} + {1'b0, length} - 4'd2;
  always @(posedge clk_i) begin
    if (start) {lanes_q, depth_q} <= {lanes, depth};
    busy_q <= active && !last;
    time_q <= now + 4'd1;
    assume (lanes != 2'd0 && depth != 3'd0);
  end
  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam [3:0] LANE = l;
      wire [3:0] after_down = now - LANE;
      wire [3:0] after_up = now - ({2'd0, used} - 4'd1 - LANE);
      wire exists = active && LANE < {2'd0, used};
      wire reads_down = exists && now >= LANE && after_down < {1'b0, length};
      wire reads_up = exists && now + LANE + 4'd1 >= {2'd0, used} && after_up < {1'b0, length};
      always @(posedge clk_i) if (started) begin
        assert (read_down[l] == reads_down);
        assert (read_up[l] == reads_up);
        if (reads_down) assert (address_down[l*3+:3] == after_down[2:0]);
        if (reads_up) assert (address_up[l*3+:3] == after_up[2:0]);
      end
    end
  endgenerate
endmodule
`default_nettype wire

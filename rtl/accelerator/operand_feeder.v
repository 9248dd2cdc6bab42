// Generates the addresses of a tile's operands. Each lane begins one cycle after its neighbour, which skews the
// operands of a systolic array without registers. From the cycle in which start_i is set, the first lane
// requests addresses 0 to depth_i - 1, one per cycle. The next lane begins one cycle later, and so on, for lanes_i
// lanes. The first lane is lane 0 or, with REVERSE, lane lanes_i - 1. start_i must not be set again before the last
// lane has requested its last address.
`default_nettype none
module operand_feeder #(
  parameter LANES = 4,    // at least 1
  parameter LANE_W = 3,   // width of a lane count
  parameter DEPTH_W = 16, // width of an address and of a depth
  parameter REVERSE = 0   // 1: the lane with the highest number begins
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire                     start_i,
  input  wire [LANE_W-1:0]        lanes_i,  // 1 to LANES; valid with start_i
  input  wire [DEPTH_W-1:0]       depth_i,  // at least 1; valid with start_i
  output wire [LANES-1:0]         read_o,
  output wire [LANES*DEPTH_W-1:0] address_o
);
  reg [LANE_W-1:0]  lanes_q;
  reg [DEPTH_W-1:0] depth_q;
  wire [DEPTH_W-1:0] depth = start_i ? depth_i : depth_q;
  wire [LANE_W-1:0] lanes = start_i ? lanes_i : lanes_q;
  always @(posedge clk_i) begin
    if (!rst_ni) lanes_q <= {LANE_W{1'b0}};
    else if (start_i) lanes_q <= lanes_i;
    if (start_i) depth_q <= depth_i;
  end

  reg [LANES-1:0] went_q;  // lanes that began in the previous cycle
  wire [LANES-1:0] go;
  always @(posedge clk_i) went_q <= rst_ni ? go : {LANES{1'b0}};
  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      localparam [LANE_W-1:0] LANE = l;
      localparam NEIGHBOUR = REVERSE != 0 ? (l + 1 < LANES ? l + 1 : l) : (l > 0 ? l - 1 : l);
      wire first = REVERSE != 0 ? LANE + 1'b1 == lanes : l == 0;
      wire follows = NEIGHBOUR != l && went_q[NEIGHBOUR] && !start_i;  // the neighbour began in the previous cycle
      assign go[l] = LANE < lanes && (first ? start_i : follows);
      reg [DEPTH_W-1:0] next_q, left_q;  // next address; number of addresses that remain
      wire more = left_q != {DEPTH_W{1'b0}};
      always @(posedge clk_i) begin
        if (!rst_ni) left_q <= {DEPTH_W{1'b0}};
        else if (go[l]) left_q <= depth - 1'b1;
        else if (more) left_q <= left_q - 1'b1;
        next_q <= go[l] ? {{(DEPTH_W - 1){1'b0}}, 1'b1} : next_q + 1'b1;
      end
      assign read_o[l] = go[l] || more;
      assign address_o[l*DEPTH_W+:DEPTH_W] = go[l] ? {DEPTH_W{1'b0}} : next_q;
    end
  endgenerate
endmodule
`default_nettype wire

// Loads a network from a memory image. After a reset, it performs the writes of the image through the AXI4-Lite port of
// register_bus. From then on, whenever start_i is set, it starts all tiles in the same cycle. error_o is set when a
// write is refused and stays set until the next reset.
`default_nettype none
module boot #(
  parameter WRITES = 1,            // number of writes in the image
  parameter IMAGE = "",            // image file; one line per write: a 24-bit address and 32 bits of data
  parameter [7:0] CONTROL = 8'h08  // offset of the register that starts a tile
) (
  input  wire        clk_i,
  input  wire        rst_ni,
  input  wire        start_i,
  output wire        loaded_o,     // all writes of the image have been answered
  output reg         error_o,
  output wire [23:0] awaddr_o,
  output wire        awvalid_o,
  input  wire        awready_i,
  output wire [31:0] wdata_o,
  output wire [3:0]  wstrb_o,
  output wire        wvalid_o,
  input  wire        wready_i,
  input  wire [1:0]  bresp_i,
  input  wire        bvalid_i,
  output wire        bready_o
);
  localparam AT_W = $clog2(WRITES + 1);
  localparam [AT_W-1:0] END = WRITES[AT_W-1:0];
  localparam [55:0] START = {16'hffff, CONTROL, 32'd1};
  reg [55:0]     image [0:WRITES-1];
  reg [AT_W-1:0] at_q;
  reg            answer_q;  // the response to a write has not arrived yet
  generate
    if (IMAGE != "") begin : g_image
      initial $readmemh(IMAGE, image);
    end else begin : g_no_image
      initial image[0] = 56'd0;
    end
  endgenerate

  assign loaded_o = at_q == END && !answer_q;
  wire valid = rst_ni && !answer_q && (at_q != END || start_i);
  wire taken = valid && awready_i && wready_i;
  assign {awaddr_o, wdata_o} = at_q == END ? START : image[at_q];
  assign {awvalid_o, wvalid_o} = {2{valid}};
  assign wstrb_o = 4'hf;
  assign bready_o = 1'b1;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q <= {AT_W{1'b0}};
      answer_q <= 1'b0;
      error_o <= 1'b0;
    end else begin
      if (taken) answer_q <= 1'b1;
      else if (bvalid_i) answer_q <= 1'b0;
      if (bvalid_i && bresp_i != 2'b00) error_o <= 1'b1;
      if (taken && at_q != END) at_q <= at_q + 1'b1;
    end
  end
endmodule
`default_nettype wire

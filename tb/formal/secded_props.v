// Proves the error-correcting code of tables for any word: one flipped bit is corrected, two flipped bits are
// reported, and an unchanged word is accepted. With ANY = 0, the proof covers only the zero word. This
// suffices, because the code is linear, so the syndrome depends only on the flipped bits.
`default_nettype none
module secded_props #(
  parameter WIDTH = 16,
  parameter ANY = 1,
  parameter CHECK_W = 1 + $clog2(WIDTH + $clog2(WIDTH + 1) + 1)
) (
  input wire clk_i
);
  localparam ALL = WIDTH + CHECK_W;
  (* anyconst *) wire [WIDTH-1:0]       any;
  wire [WIDTH-1:0] data = any & {WIDTH{ANY != 0}};
  (* anyconst *) wire [$clog2(ALL)-1:0] first, second;
  (* anyconst *) wire [1:0]             count;    // number of flipped bits
  wire [CHECK_W-1:0] check, unused_check, unused_of;
  wire [WIDTH-1:0]   unused_data, out;
  wire               unused_corrected, unused_wrong, corrected, wrong;
  secded #(.DATA_W(WIDTH)) i_writer (
    .data_i(data), .check_i({CHECK_W{1'b0}}), .check_o(check), .data_o(unused_data), .corrected_o(unused_corrected),
    .wrong_o(unused_wrong));
  localparam [ALL-1:0] ONE = 1;
  wire [ALL-1:0] flips = (count > 2'd0 ? ONE << first : {ALL{1'b0}}) | (count > 2'd1 ? ONE << second : {ALL{1'b0}});
  wire [ALL-1:0] came = {check, data} ^ flips;
  secded #(.DATA_W(WIDTH)) i_reader (
    .data_i(came[WIDTH-1:0]), .check_i(came[ALL-1:WIDTH]), .check_o(unused_of), .data_o(out), .corrected_o(corrected),
    .wrong_o(wrong));
  always @(posedge clk_i) begin
    assume (count < 2'd3 && first < ALL && second < ALL && first != second);
    if (count < 2'd2) assert (out == data && !wrong && corrected == (count == 2'd1));
    if (count == 2'd2) assert (wrong && !corrected);
    cover (count == 2'd1 && first >= WIDTH);
    cover (count == 2'd2 && first < WIDTH && second >= WIDTH);
  end
endmodule
`default_nettype wire

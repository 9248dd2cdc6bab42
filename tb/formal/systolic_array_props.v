// Proves that every result of every tile leaves systolic_array exactly once, at its position, and is the
// product of the requested operands, whatever arrives on lanes without requests. Covers stationary outputs
// and stationary weights. The adders and multipliers are replaced by ones for integers.
`default_nettype none
module systolic_array_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  localparam SIDE = 2;
  wire start = $anyseq;
  wire [1:0] rows = $anyconst, columns = $anyconst;
  wire [3:0] depth = $anyconst;
  wire [7:0] left = $anyconst, upper = $anyconst;  // lane l's two-bit operand for address a is at 4 l + 2 a
  wire [31:0] noise = $anyseq;
  always @(posedge clk_i) begin
    assume (rows != 2'd0 && rows <= 2'd2 && columns != 2'd0 && columns <= 2'd2 && depth != 4'd0 && depth <= 4'd2);
  end
  function [1:0] value(input [7:0] words, input lane, input address);
    value = words[{lane, address, 1'b0}+:2];
  endfunction
  genvar k, l;
  generate
    for (k = 0; k < 2; k = k + 1) begin : g_kind
      wire ready, operand_half, result_half;
      wire [1:0] mode, left_read, upper_read, write;
      wire [7:0] left_address, upper_address, result_address;
      wire [63:0] result;
      wire [31:0] left_data, upper_data;
      systolic_array #(.ROWS(SIDE), .COLUMNS(SIDE), .SIDE_W(2), .DEPTH_W(4), .STATIONARY(k)) dut (
        .clk_i(clk_i), .rst_ni(started), .start_i(start), .ready_o(ready), .rows_i(rows), .columns_i(columns),
        .depth_i(depth), .mode_o(mode), .operand_half_o(operand_half), .left_read_o(left_read),
        .left_address_o(left_address), .left_data_i(left_data), .upper_read_o(upper_read),
        .upper_address_o(upper_address), .upper_data_i(upper_data), .result_half_o(result_half),
        .result_write_o(write), .result_address_o(result_address), .result_data_o(result));
      reg [1:0] idle_q = 2'd0;
      wire [1:0] length = k == 0 ? rows : depth[1:0];  // number of results per lane
      wire [1:0] terms = k == 0 ? depth[1:0] : rows;   // number of products per sum
      for (l = 0; l < SIDE; l = l + 1) begin : g_lane
        wire [3:0] left_at = left_address[l*4+:4], upper_at = upper_address[l*4+:4], result_at = result_address[l*4+:4];
        assign left_data[l*16+:16] = left_read[l] ? {14'd0, value(left, l, left_at[0])} : noise[15:0];
        assign upper_data[l*16+:16] = upper_read[l] ? {14'd0, value(upper, l, upper_at[0])} : noise[31:16];
        // With stationary outputs, `at` is the row of the result and the lane of the left operand. With
        // stationary weights, it is the address of the left operand, and the sum runs over all lanes.
        wire at = result_at[0];
        wire [4:0] first = {1'b0, {2'd0, k == 0 ? value(left, at, 1'b0) : value(left, 1'b0, at)} * {2'd0, value(upper, l, 1'b0)}};
        wire [4:0] second = {1'b0, {2'd0, k == 0 ? value(left, at, 1'b1) : value(left, 1'b1, at)} * {2'd0, value(upper, l, 1'b1)}};
        reg [1:0] given_q = 2'd0;  // number of results of this lane so far
        always @(posedge clk_i) if (started) begin
          if (left_read[l]) assert (left_at < depth);
          if (upper_read[l]) assert (upper_at < (k == 0 ? depth : {2'd0, rows}));
          if (write[l]) begin
            assert (l < columns && result_at == {2'd0, given_q});
            assert (result[l*32+:32] == {27'd0, terms == 2'd2 ? first + second : first});
            given_q <= given_q + 2'd1 == length ? 2'd0 : given_q + 2'd1;
          end
          // After the array has been idle for two cycles, all results must have left.
          if (idle_q == 2'd2) assert (given_q == 2'd0 && !write[l]);
        end
      end
      always @(posedge clk_i) idle_q <= mode != 2'd0 ? 2'd0 : idle_q == 2'd2 ? 2'd2 : idle_q + 2'd1;
      wire unused = &{1'b0, operand_half, result_half, ready};
    end
  endgenerate
endmodule
`default_nettype wire

  // Proves, inside vc_buffer, that the flags match the number of stored flits and that this number never
  // exceeds the number of slots.
  localparam [ADDR_W:0] ALL = DEPTH;
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!push_i || count_q < ALL);
      assert (count_q <= ALL);
      assert (some_q == (count_q != {(ADDR_W + 1){1'b0}}));
      assert (two_q == (count_q > ONE));
      assert (empty_q == !some_q);
      assert (!pop_i || valid_o);
    end
  end

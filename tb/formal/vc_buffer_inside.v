  // Inside vc_buffer: the flags match its count, and pushes stay within its slots.
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

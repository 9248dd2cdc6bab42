  // Within vc_buffer: the marks of its count are right, and who fills it keeps to the places that it has.
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

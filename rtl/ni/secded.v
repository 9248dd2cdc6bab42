// A single-error-correcting, double-error-detecting code (SECDED). Each check bit is the parity of a subset of the data
// bits. Each data bit is included in an odd number of check bits, at least three, and no two data bits are included in
// the same set of check bits. The syndrome is the XOR of the received check bits with those computed from the received
// data. It has an odd number of ones after a single error, which it locates, and an even number after a double error.
// The memory must store check_o together with the data that is written.
`default_nettype none
module secded #(
  parameter DATA_W = 8,
  parameter CHECK_W = 1 + $clog2(DATA_W + $clog2(DATA_W + 1) + 1)  // derived from DATA_W; do not set it
) (
  input  wire [DATA_W-1:0]  data_i,
  input  wire [CHECK_W-1:0] check_i,      // the check bits that were read from memory with data_i
  output wire [CHECK_W-1:0] check_o,      // check bits of data_i
  output wire [DATA_W-1:0]  data_o,       // data_i with a single-bit error corrected
  output wire               corrected_o,  // one bit of the data or the check bits was wrong
  output wire               wrong_o       // at least two bits were wrong
);
  generate
    if ((1 << (CHECK_W - 1)) < DATA_W + CHECK_W) begin : g_check_width
      CHECK_W_must_have_a_number_for_every_bit_and_one_for_none i_wrong ();
    end
  endgenerate

  // The check bits that include data bit i, as a mask: the binary digits of the (i+1)-th number that is not a power of
  // two, plus the highest check bit if this number has an even number of ones.
  function [CHECK_W-1:0] checks_of(input integer i);
    integer number, k;
    begin
      number = i + 1;
      for (k = 0; k < CHECK_W; k = k + 1) if ((1 << k) <= number) number = number + 1;
      checks_of = number[CHECK_W-1:0];
      checks_of[CHECK_W-1] = !(^checks_of);
    end
  endfunction

  wire [CHECK_W-1:0] syndrome = check_o ^ check_i;
  wire [DATA_W-1:0]  hit;
  wire [CHECK_W-1:0] hit_check;
  genvar i, c;
  generate
    for (i = 0; i < DATA_W; i = i + 1) begin : g_bit
      localparam [CHECK_W-1:0] CHECKS = checks_of(i);
      assign hit[i] = syndrome == CHECKS;
    end
    for (c = 0; c < CHECK_W; c = c + 1) begin : g_check
      localparam [CHECK_W-1:0] ONE = 1;
      wire [DATA_W-1:0] covered;
      for (i = 0; i < DATA_W; i = i + 1) begin : g_covered
        localparam [CHECK_W-1:0] CHECKS = checks_of(i);
        assign covered[i] = CHECKS[c] && data_i[i];
      end
      assign check_o[c] = ^covered;
      assign hit_check[c] = syndrome == ONE << c;
    end
  endgenerate
  assign data_o = data_i ^ hit;
  assign corrected_o = |{hit, hit_check};
  assign wrong_o = |syndrome && !corrected_o;
endmodule
`default_nettype wire

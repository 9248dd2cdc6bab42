// Compares two schedule tables, of which one has check bits, in rounds with random lines. In the memories of
// the table with check bits, at most one random bit (data or check) of each part of a line is changed. It
// must behave like the other table in every cycle and count its corrections. In every other round, two bits
// in a part of one line are changed: the table must report this exactly when the line is at its head, which
// ends the round. Finally, the test changes every pair of bits in a word to check the code itself.
`default_nettype none
module table_ecc_tb;
  parameter ROUNDS = 200, ENTRIES = 8, INDEX_W = 3, SEED = 1;
  localparam ENTRY_W = 182, LINE_W = ENTRY_W + 20, AHEAD_W = 114, REST_W = 104;  // as in a tile; parts with check bits
  localparam [AHEAD_W-1:0] AHEAD_ONE = 1;
  localparam [REST_W-1:0] REST_ONE = 1;
  reg                clk = 1'b0, rst_n = 1'b0, loads = 1'b0, start = 1'b0, hold = 1'b0, pop = 1'b0;
  reg  [INDEX_W-1:0] index = 0;
  reg  [LINE_W-1:0]  line = 0;
  reg  [INDEX_W:0]   lines = 0;
  reg  [15:0]        count = 0;
  reg  [9:0]         flow_stride = 0;
  reg  [23:0]        address_stride = 0;
  reg  [15:0]        step_stride = 0;
  wire [1:0]         valid, pass, above, wrong;
  wire [2*ENTRY_W-1:0] entry;
  wire [2*16-1:0]    issued;
  wire [3:0]         corrected;
  always #1 clk = !clk;
  genvar g;
  generate
    for (g = 0; g < 2; g = g + 1) begin : g_table
      schedule_table #(.ENTRY_W(ENTRY_W), .ENTRIES(ENTRIES), .INDEX_W(INDEX_W), .ECC(g)) i_table (
        .clk_i(clk), .rst_ni(rst_n), .load_valid_i(loads), .load_index_i(index), .load_line_i(line), .start_i(start),
        .first_i(start), .lines_i(lines), .count_i(count), .flow_stride_i(flow_stride), .address_stride_i(address_stride),
        .step_stride_i(step_stride), .absorbs_i(24'd1000), .hold_i(hold), .pop_i(pop && !pass[0]), .valid_o(valid[g]),
        .pass_o(pass[g]), .entry_o(entry[g*ENTRY_W+:ENTRY_W]), .above_o(above[g]),
        .issued_o(issued[g*16+:16]), .corrected_o(corrected[g*2+:2]), .wrong_o(wrong[g]));
    end
  endgenerate

  integer seed = SEED, round, i, j, head, failures = 0, told = 0, mended = 0, bad, part, cycles, pairs = 0;
  reg     of_first, ends;
  reg [AHEAD_W-1:0] ahead_of [0:ENTRIES-1];  // the lines as loaded
  reg [REST_W-1:0]  rest_of [0:ENTRIES-1];
  reg     flipped_ahead [0:ENTRIES-1];
  reg     flipped_rest [0:ENTRIES-1];
  reg     flipped_first;
  function integer below(input integer limit);
    below = $unsigned($random(seed)) % limit;
  endfunction
  task fail(input [8*40-1:0] what);
    begin
      $display("FAILED: round %0d: %0s", round, what);
      failures = failures + 1;
    end
  endtask

  // Signals for testing the code with every pair of changed bits.
  reg  [113:0] word_in;  // data and check bits
  reg  [105:0] word;
  wire [105:0] unused_word, word_out;
  wire [7:0]   check, unused_check;
  wire         unused_corrected, unused_wrong, word_corrected, word_wrong;
  secded #(.DATA_W(106)) i_writer (.data_i(word), .check_i(8'd0), .check_o(check), .data_o(unused_word),
                                   .corrected_o(unused_corrected), .wrong_o(unused_wrong));
  secded #(.DATA_W(106)) i_reader (.data_i(word_in[105:0]), .check_i(word_in[113:106]), .check_o(unused_check), .data_o(word_out),
                                   .corrected_o(word_corrected), .wrong_o(word_wrong));

  initial begin
    if (g_table[1].i_table.AHEAD_CODE_W != AHEAD_W || g_table[1].i_table.REST_CODE_W != REST_W) fail("parts have other widths");
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    for (round = 0; round < ROUNDS; round = round + 1) begin
      lines = 1 + below(ENTRIES);
      count = 1 + below(60);
      flow_stride = $random(seed);
      address_stride = $random(seed);
      step_stride = $random(seed);
      for (i = 0; i < lines; i = i + 1) begin
        loads = 1'b1;
        index = i;
        line = {$random(seed), $random(seed), $random(seed), $random(seed), $random(seed), $random(seed), $random(seed)};
        // A line begins in iteration 0 or 1. Line 0 is active in all iterations.
        line[ENTRY_W+:20] = {10'd1023, 9'd0, i > 0 && below(3) == 0};
        @(negedge clk);
      end
      loads = 1'b0;
      for (i = 0; i < ENTRIES; i = i + 1) begin
        ahead_of[i] = g_table[1].i_table.ahead_lines_q[i];
        rest_of[i] = g_table[1].i_table.rest_lines_q[i];
        flipped_ahead[i] = i < lines && below(2) == 0;
        flipped_rest[i] = i < lines && below(2) == 0;
        j = below(AHEAD_W);
        if (flipped_ahead[i]) g_table[1].i_table.ahead_lines_q[i] = ahead_of[i] ^ (AHEAD_ONE << j);
        j = below(REST_W);
        if (flipped_rest[i]) g_table[1].i_table.rest_lines_q[i] = rest_of[i] ^ (REST_ONE << j);
      end
      flipped_first = below(2) == 0;
      j = below(AHEAD_W);
      if (flipped_first) g_table[1].i_table.first_q = g_table[1].i_table.first_q ^ (AHEAD_ONE << j);
      bad = -1;
      part = below(2);
      if (round % 2 == 1) begin
        bad = below(lines);
        i = below(part == 0 ? AHEAD_W : REST_W);
        j = (i + 1 + below((part == 0 ? AHEAD_W : REST_W) - 1)) % (part == 0 ? AHEAD_W : REST_W);
        // The pair of changed bits replaces the single one.
        if (part == 0) begin
          g_table[1].i_table.ahead_lines_q[bad] = ahead_of[bad] ^ (AHEAD_ONE << i) ^ (AHEAD_ONE << j);
          flipped_ahead[bad] = 1'b0;
        end else begin
          g_table[1].i_table.rest_lines_q[bad] = rest_of[bad] ^ (REST_ONE << i) ^ (REST_ONE << j);
          flipped_rest[bad] = 1'b0;
        end
      end
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      head = 0;
      of_first = 1'b1;
      ends = 1'b0;
      for (cycles = 0; cycles < 2000 && !ends; cycles = cycles + 1) begin
        hold = below(4) == 0;
        pop = below(3) != 0 && valid[0] && !pass[0];
        #0;
        if (wrong[0] || corrected[1:0] != 2'd0) fail("the table without check bits reports an error");
        if (bad == head && !(part == 0 && of_first) && valid[0]) begin
          if (wrong[1] !== 1'b1) fail("two flipped bits are not reported");
          told = told + 1;
          ends = 1'b1;
          pop = 1'b0;
          hold = 1'b1;
        end else begin
          if (wrong[1] !== 1'b0) fail("one flipped bit is reported as two");
          if ({valid[0], pass[0], issued[15:0]} !== {valid[1], pass[1], issued[31:16]} ||
              (valid[0] && {above[0], entry[ENTRY_W-1:0]} !== {above[1], entry[ENTRY_W+:ENTRY_W]}))
            fail("it behaves differently");
          if ((pop && valid[0]) || (pass[0] && !hold)) begin
            if (corrected[3:2] !== {flipped_rest[head], of_first ? flipped_first : flipped_ahead[head]}) fail("it counts wrong corrections");
            mended = mended + corrected[2] + corrected[3];
            head = head + 1 == lines ? 0 : head + 1;
            of_first = 1'b0;
          end else if (corrected[3:2] !== 2'd0) fail("it counts corrections of a line that does not leave");
          ends = !valid[0];
        end
        @(negedge clk);
      end
      hold = 1'b0;
      pop = 1'b0;
      if (!ends) fail("it does not end");
    end
    for (round = 0; round < 3; round = round + 1) begin
      word = round == 0 ? 106'd0 : {$random(seed), $random(seed), $random(seed), $random(seed)};
      for (i = 0; i < 114; i = i + 1)
        for (j = i; j < 114; j = j + 1) begin
          #0 word_in = {check, word} ^ (114'd1 << i);
          if (j != i) word_in = word_in ^ (114'd1 << j);
          #1;
          if (i == j ? word_out !== word || word_corrected !== 1'b1 || word_wrong !== 1'b0 : word_corrected !== 1'b0 || word_wrong !== 1'b1)
            fail("the code does not detect this pair");
          pairs = pairs + 1;
        end
    end
    if (failures == 0 && told > 0 && mended > 0)
      $display("verified: %0d rounds, %0d parts corrected, %0d reported, %0d pairs of bits", ROUNDS, mended, told, pairs);
    $finish;
  end
endmodule
`default_nettype wire

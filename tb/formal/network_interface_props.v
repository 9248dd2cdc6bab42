// Properties of network_interface with all blocks of one port; only the adders are replaced. A message
// arrives in arbitrary cycles, and its words are added to memory or stored in it. A table entry, which may
// wait for this message, sends another message. The entry issues exactly once, and not before the message on
// which it depends has arrived. The entry's message then leaves within 8 cycles; it consists of a head and
// the words in memory, including words that have arrived. All arrived words end up in memory, and each flit's
// slot is returned when the flit arrives.
`default_nettype none
module network_interface_props (input wire clk_i);
  reg [1:0] phase = 2'd0;  // 0: reset, 1: the entry is loaded, 2: start, 3: run
  always @(posedge clk_i) if (phase != 2'd3) phase <= phase + 2'd1;
  wire runs = phase == 2'd3;

  // The table entry and the arriving message, each of which has 1 to 4 words in one packet.
  wire       entry_add = $anyconst, waits = $anyconst, entry_flow = $anyconst, entry_upper = $anyconst;
  wire [2:0] entry_words = $anyconst, words = $anyconst;
  wire       add = $anyconst, flow = $anyconst;
  wire [3:0] entry_address = {2'd0, entry_upper, 1'b0};

  wire        dma_valid, read_valid, sum_valid, store_valid, flit_valid, head, tail, vc, busy, issue, arrived, stray, table_wrong;
  wire [3:0]  dma_address, read_address, sum_address, store_address;
  wire [1:0]  dma_lanes, sum_lanes, store_lanes, credit_out, overflow;
  wire [63:0] sum_data, store_data, flit;
  reg         dma_valid_q = 1'b0;
  reg  [63:0] dma_q, read_q;

  // The arriving message, which consists of a head and one or two flits in arbitrary cycles.
  wire        comes_now = $anyseq;
  wire [63:0] came = $anyseq;
  wire        comes_vc = $anyconst;
  reg  [1:0]  place = 2'd0;   // the part that comes next: 0 for the head, 1 and 2 for flits, 3 for none
  wire        last = words <= 3'd2 || place == 2'd2;
  wire        comes = comes_now && runs && place != 2'd3;
  wire [63:0] head_in = {50'd0, 2'd1, 3'd0, words, 4'd0, flow, add};
  wire        comes_tail = place != 2'd0 && last;

  // The memory contains four words.
  wire [127:0] before = $anyconst;
  reg  [127:0] memory, wanted;
  function [63:0] two(input [127:0] words_of, input [3:0] at);
    two = at[1] ? words_of[127:64] : words_of[63:0];
  endfunction

  network_interface #(
    .PORTS(1), .FLIT_W(64), .LANES(2), .VCS(2), .VC_W(1), .CREDIT_W(2), .ENTRIES(2), .INDEX_W(1), .ITER_W(1), .TOTAL_W(2), .TIME_W(4),
    .FLOWS(2), .FLOW_W(1), .COUNT_W(1), .STEP_W(2), .ADDR_W(4), .LEN_W(3), .FLITS_W(4), .PACKETS_W(2), .SOURCE_W(1), .ROUTE_W(1),
    .BUFFER(4), .BUFFER_W(2), .QUEUE(4), .QUEUE_W(2), .EJECT_CREDITS(1)
  ) dut (
    .clk_i(clk_i), .rst_ni(phase != 2'd0), .now_i(4'd0), .type_i(2'd0), .lockstep_i(1'b0), .absorbs_i(4'd0), .dma_latency_i(4'd2),
    .payload_words_i(3'd4), .flow_stride_i(1'b0), .address_stride_i(4'd0), .step_stride_i(2'd0), .source_i(1'b0), .credits_i(4'b1111),
    .load_valid_i(phase == 2'd1), .load_index_i(1'b0),
    .load_line_i({1'd1, 1'd0, 1'b1, 2'd1, 4'd3, entry_words, entry_words, entry_address, 2'd1, waits, entry_flow, 1'b0, entry_add}),
    .start_i(phase == 2'd2), .lines_i(2'd1), .count_i(2'd1), .commit_i(1'b0), .open_i(1'b0), .id_i(5'd0), .base_i(4'd0),
    .priority_i(8'd0), .arrivals_i(16'd0), .turn_i(1'b0), .order_i(2'd0),
    .dma_valid_o(dma_valid), .dma_address_o(dma_address), .dma_lanes_o(dma_lanes), .dma_data_valid_i(dma_valid_q), .dma_data_i(dma_q),
    .read_valid_o(read_valid), .read_address_o(read_address), .read_data_i(read_q), .sum_valid_o(sum_valid),
    .sum_address_o(sum_address), .sum_lanes_o(sum_lanes), .sum_data_o(sum_data), .store_valid_o(store_valid),
    .store_address_o(store_address), .store_lanes_o(store_lanes), .store_data_o(store_data), .coming_valid_o(), .coming_add_o(),
    .coming_address_o(), .coming_lanes_o(), .memory_ready_i(1'b1), .flit_valid_o(flit_valid), .flit_vc_o(vc), .flit_head_o(head),
    .flit_tail_o(tail), .flit_o(flit), .credit_i(2'b00), .flit_valid_i({comes && comes_vc, comes && !comes_vc}), .flit_head_i(place == 2'd0),
    .flit_tail_i(comes_tail), .flit_i(place == 2'd0 ? head_in : came), .credit_o(credit_out), .done_o(), .state_o(), .issue_o(issue),
    .issued_o(), .timestep_o(), .lockstep_o(), .release_o(), .arrived_o(arrived), .table_corrected_o(), .table_wrong_o(table_wrong),
    .busy_o(busy), .stray_o(stray), .overflow_o(overflow));

  integer l;
  always @(posedge clk_i) begin
    if (!runs) begin
      memory <= before;
      wanted <= before;
    end else begin
      for (l = 0; l < 2; l = l + 1) begin
        if (sum_valid && sum_lanes[l]) memory[{sum_address[1], l[0]}*32+:32] <= sum_data[l*32+:32];
        if (store_valid && store_lanes[l]) memory[{store_address[1], l[0]}*32+:32] <= store_data[l*32+:32];
        // Flit `place` of the message contains the words from number 2 * (place - 1) on.
        if (comes && place != 2'd0 && {place[1], l[0]} < words)
          wanted[{place[1], l[0]}*32+:32] <= (add ? wanted[{place[1], l[0]}*32+:32] : 32'd0) ^ came[l*32+:32];
      end
    end
    dma_valid_q <= runs && dma_valid;
    dma_q <= two(memory, dma_address);
    read_q <= two(memory, read_address);
    if (comes) place <= comes_tail ? 2'd3 : place + 2'd1;
  end

  reg       issued = 1'b0;
  reg [1:0] left = 2'd0;        // number of flits that have left
  reg       ended = 1'b0;       // whether the tail has left
  reg [3:0] since = 4'd0;       // number of cycles since the entry could issue
  reg [2:0] settled = 3'd0;     // number of cycles since the message arrived
  wire      there = place == 2'd3 && settled >= (add ? 3'd3 : 3'd0);    // can be read from memory
  wire      written = place == 2'd3 && settled >= (add ? 3'd4 : 3'd0);  // is in memory
  wire       may = !waits || (entry_flow == flow && there);
  wire [63:0] sent = two(wanted, entry_address + (left == 2'd2 ? 4'd2 : 4'd0));
  always @(posedge clk_i) begin
    assume (entry_words != 3'd0 && entry_words <= (entry_upper ? 3'd2 : 3'd4) && words != 3'd0 && words <= 3'd4);
    if (runs) begin
      assert (!stray && !table_wrong && overflow == 2'd0);
      assert (!(dma_valid && dma_address[3:2] != 2'd0) && !(sum_valid && store_valid));
      assert (issue ? !issued && may : 1'b1);
      if (issue) issued <= 1'b1;
      if (may && !ended && since != 4'd15) since <= since + 4'd1;
      assert (since <= 4'd8);                // the adders take three cycles and the DMA two
      if (flit_valid) begin
        assert (issued && !ended && head == (left == 2'd0) && tail == (left == (entry_words > 3'd2 ? 2'd2 : 2'd1)));
        if (head) assert (flit == {49'd0, 1'b1, 2'd1, 3'd0, entry_words, entry_address, entry_flow, entry_add});
        else if (waits) begin
          assert (flit[31:0] == sent[31:0]);
          if (entry_words != 3'd1 && !(entry_words == 3'd3 && left == 2'd2)) assert (flit[63:32] == sent[63:32]);
        end
        left <= left + 2'd1;
        if (tail) ended <= 1'b1;
      end
      assert (arrived == (comes && comes_tail));
      assert (credit_out == {comes && comes_vc, comes && !comes_vc});  // immediately, because no flit has to wait
      if (place == 2'd3 && settled != 3'd4) settled <= settled + 3'd1;
      if (written) assert (memory == wanted);
      if (settled == 3'd4 && ended) assert (!busy);
      cover (ended && waits && add && words == 3'd4 && entry_words == 3'd3);
      cover (ended && waits && !add && entry_upper);
      cover (ended && !waits && settled == 3'd4 && add);
    end
  end
endmodule
`default_nettype wire

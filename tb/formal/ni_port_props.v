// Properties of ni_port. After an entry of up to 4 words in one or two packets has issued, its last tail
// leaves within 14 cycles, provided that credits return within two cycles and data arrives in time. No head
// leaves before the DMA latency has passed. No flit leaves without an issued entry, and no entry sends too
// many flits.
`default_nettype none
module ni_port_props (input wire clk_i);
  localparam ENTRY_W = 2 + 1 + 1 + 2 + 4 + 2 * 3 + 4 + 2 + 1;
  reg [1:0] phase = 2'd0;  // 0: reset, 1: an entry is loaded, 2: start, 3: run
  always @(posedge clk_i) if (phase != 2'd3) phase <= phase + 2'd1;
  wire runs = phase == 2'd3;
  reg [7:0] now = 8'd0;
  always @(posedge clk_i) if (runs) now <= now + 8'd1;

  wire add = $anyconst;
  wire [2:0] words = $anyconst;
  wire [2:0] total = $anyconst;
  wire [2:0] packet = $anyconst;  // words per packet
  wire satisfied = $anyseq;
  wire credit_now = $anyseq;
  wire issue, dma_valid, flit_valid, head, tail, busy, overflow, vc;
  wire [63:0] flit;
  reg asked = 1'b0;
  reg out = 1'b0;  // whether a flit's credit is outstanding
  wire credit = out && credit_now;

  ni_port #(
    .FLIT_W(64), .LANES(2), .VCS(2), .VC_W(1), .CREDIT_W(1), .ENTRIES(2), .INDEX_W(1), .ITER_W(1), .TOTAL_W(2), .TIME_W(8), .FLOW_W(1),
    .COUNT_W(1), .STEP_W(2), .ADDR_W(4), .LEN_W(3), .FLITS_W(4), .PACKETS_W(2), .SOURCE_W(1), .ROUTE_W(1),
    .BUFFER(4), .BUFFER_W(2)
  ) dut (
    .clk_i(clk_i), .rst_ni(phase != 2'd0), .now_i(now), .lockstep_i(1'b0), .absorbs_i(4'd0), .dma_latency_i(8'd2),
    .payload_words_i(packet), .source_i(1'b0), .credits_i(2'b01), .load_valid_i(phase == 2'd1),
    .load_index_i(1'b0),
    .load_line_i({1'd1, 1'd0, 1'b0, 2'd1, 4'd1, total, words, 4'd0, 2'd1, 1'b0, 1'b0, 1'b0, add}),
    .start_i(phase == 2'd2), .take_credits_i(phase == 2'd2), .lines_i(2'd1), .count_i(2'd1), .flow_stride_i(1'b0),
    .address_stride_i(4'd0), .step_stride_i(2'd0), .query_flow_o(), .query_dependencies_o(), .satisfied_i(satisfied),
    .dma_valid_o(dma_valid), .dma_address_o(), .dma_conflict_i(1'b0), .dma_data_valid_i(asked),
    .dma_data_i(64'd0), .flit_valid_o(flit_valid), .flit_vc_o(vc), .flit_head_o(head), .flit_tail_o(tail),
    .flit_o(flit), .credit_i({1'b0, credit}), .flit_valid_i(2'd0), .flit_head_i(1'b0),
    .flit_tail_i(1'b0), .flit_i(64'd0), .data_valid_o(), .data_add_o(), .data_address_o(), .data_lanes_o(),
    .data_o(), .arrived_o(), .arrived_add_o(), .arrived_flow_o(), .state_o(), .issue_o(issue), .issued_o(),
    .timestep_o(), .lockstep_o(), .release_o(), .busy_o(busy), .overflow_o(overflow));

  reg issued = 1'b0;
  reg [4:0] since = 5'd0;   // number of cycles since the entry issued
  reg [3:0] flits = 4'd0;   // number of flits that have left
  reg late = 1'b0;          // the dependencies were unsatisfied in the previous cycle
  reg owed = 1'b0;          // an outstanding credit was not returned in the previous cycle
  wire [3:0] data_flits = {2'd0, total[2:1]} + {3'd0, total[0]};
  wire [3:0] packets = total <= packet ? 4'd1 : total - packet <= packet ? 4'd2 : 4'd3;
  wire [3:0] all = data_flits + packets;
  wire ends = flit_valid && tail && flits + 4'd1 == all;
  reg ended = 1'b0;
  always @(posedge clk_i) begin
    assume (packet == 3'd2 || packet == 3'd4);
    assume (words != 3'd0 && total >= words && total <= 3'd4);
    if (runs) begin
      assume (!out || credit_now || !owed);  // a credit returns within two cycles
      assume (satisfied || !late);           // dependencies are satisfied in at least every other cycle
      late <= !satisfied;
      owed <= out && !credit_now;
      asked <= dma_valid;
      out <= flit_valid || (out && !credit);
      assert (!vc || !flit_valid);           // the other virtual channel has no slots
      if (issue) begin
        assert (!issued && satisfied);
        issued <= 1'b1;
      end
      if (issued && !ended) since <= since + 5'd1;
      if (flit_valid) begin
        assert (issued && !ended);
        flits <= flits + 4'd1;
        if (flits == 4'd0) assert (head && since >= 5'd1);
        if (ends) ended <= 1'b1;
      end
      assert (flits <= all);
      assert (since <= 5'd14 || ended);      // 2 cycles for the DMA, and at most 4 flits that take up to 3 cycles each
      if (ended) assert (!flit_valid);
    end
  end
endmodule
`default_nettype wire

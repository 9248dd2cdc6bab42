// Properties of reduction_unit. At each port, the oldest flit proceeds, or an arriving flit to be added,
// which may overtake waiting flits unless one of them is to be stored. A flit waits only if it cannot
// proceed, and every flit proceeds exactly once. No flit is lost unless an overflow is reported, and two sums
// of the same words are never pending at the same time.
`default_nettype none
module reduction_unit_props (input wire clk_i);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire [1:0] valid = $anyseq;
  wire [1:0] add = $anyseq;
  wire [5:0] address = $anyseq;  // of two ports
  wire [1:0] dma = $anyseq;
  wire [1:0] dma_next = $anyseq;  // whether each port requests other words in the next cycle
  wire [5:0] dma_next_address = $anyseq;
  reg  [5:0] dma_address;
  always @(posedge clk_i) begin
    if (dma_next[0]) dma_address[2:0] <= dma_next_address[2:0];
    if (dma_next[1]) dma_address[5:3] <= dma_next_address[5:3];
  end
  wire [1:0] reads, sums, stores, conflict;
  wire [3:0] waiting;
  wire port0_queued = waiting[1:0] != 2'd0;
  wire [5:0] read_address, sum_address, store_address;
  wire busy, overflow;
  wire [127:0] gone_data;  // data of the flit that proceeds
  reg  [3:0] number = 4'd0;  // serial number of the flit that arrives at port 1
  reduction_unit #(.PORTS(2), .FLIT_W(64), .LANES(2), .ADDR_W(3), .QUEUE(2), .QUEUE_W(1)) dut (
    .clk_i(clk_i), .rst_ni(started), .type_i(2'd0), .valid_i(valid), .add_i(add), .vc_i(2'b11), .address_i(address),
    .lanes_i(4'hf), .dma_next_lanes_i(4'hf), .data_i({60'd0, number, 64'd0}), .read_valid_o(reads), .read_address_o(read_address), .read_data_i(128'd0),
    .sum_valid_o(sums), .sum_address_o(sum_address), .sum_lanes_o(), .sum_data_o(), .store_valid_o(stores),
    .store_address_o(store_address), .store_lanes_o(), .store_data_o(gone_data), .dma_valid_i(dma),
    .dma_next_i(dma_next), .dma_next_address_i(dma_next_address), .dma_conflict_o(conflict), .waiting_o(waiting), .busy_o(busy), .overflow_o(overflow));

  // The flits that wait at port 1, with the oldest at index 0, as {number, add, address}.
  reg [15:0] queue = 16'd0;
  reg [1:0] held = 2'd0;
  wire comes = valid[1];
  wire [7:0] newest = {number, add[1], address[5:3]};
  wire goes = reads[1] || stores[1];
  wire passes = goes && comes && gone_data[67:64] == number;  // the arriving flit proceeds without waiting
  wire [7:0] going = passes ? newest : queue[7:0];
  wire [1:0] left = held - {1'b0, goes && !passes};
  wire [15:0] rest = goes && !passes ? queue >> 8 : queue;
  wire waits = comes && !passes;
  wire store_waits = (held != 2'd0 && !queue[3]) || (held == 2'd2 && !queue[11]);
  // The words of pending sums, by the number of cycles since their addition started.
  reg [1:0] age1 = 2'd0, age2 = 2'd0, age3 = 2'd0, age4 = 2'd0;
  reg [5:0] words1 = 6'd0, words2 = 6'd0, words3 = 6'd0, words4 = 6'd0;
  function overlap(input [2:0] a, input [2:0] b);
    overlap = (a - b) < 3'd2 || (b - a) < 3'd2;
  endfunction
  function under_way(input [2:0] a);
    under_way = (age1[0] && overlap(a, words1[2:0])) || (age1[1] && overlap(a, words1[5:3])) ||
                (age2[0] && overlap(a, words2[2:0])) || (age2[1] && overlap(a, words2[5:3])) ||
                (age3[0] && overlap(a, words3[2:0])) || (age3[1] && overlap(a, words3[5:3])) ||
                (age4[0] && overlap(a, words4[2:0])) || (age4[1] && overlap(a, words4[5:3]));
  endfunction
  reg dma_known = 1'b0;  // whether port 0's next request has been announced
  always @(posedge clk_i) dma_known <= dma_known || dma_next[0];
  reg late1 = 1'b0, late2 = 1'b0, late3 = 1'b0, late4 = 1'b0;  // whether port 1's flit with this age had to wait
  always @(posedge clk_i) begin
    if (started && !overflow) begin
      if (goes) begin
        assert (passes || held != 2'd0);
        assert (gone_data[67:64] == going[7:4]);
        assert (reads[1] == going[3]);
        assert ((reads[1] ? read_address[5:3] : store_address[5:3]) == going[2:0]);
        if (passes && held != 2'd0) assert (newest[3] && !store_waits);
      end
      // If the oldest flit does not proceed, it must be unable to.
      if (held != 2'd0 && (passes || !goes))
        assert (under_way(queue[2:0]) || port0_queued || (valid[0] && overlap(address[2:0], queue[2:0])));
      if (held == 2'd0 && comes && !goes)
        assert (under_way(newest[2:0]) || port0_queued || (valid[0] && overlap(address[2:0], newest[2:0])));
      if (comes) number <= number + 4'd1;
      if (waits && left < 2'd2) begin
        queue <= left == 2'd0 ? {rest[15:8], newest} : {newest, rest[7:0]};
        held <= left + 2'd1;
      end else begin
        queue <= rest;
        held <= left;
      end
      if (reads[0]) assert (!under_way(read_address[2:0]));
      if (reads[1]) assert (!under_way(read_address[5:3]));
      if (stores[1]) assert (!under_way(store_address[5:3]));
      if (reads == 2'b11) assert (!overlap(read_address[2:0], read_address[5:3]));
      // A request must not read words whose sums are pending because a flit of port 1 waited.
      if (dma[0] && dma_known && !conflict[0]) begin
        assert (!(late1 && age1[1] && overlap(dma_address[2:0], words1[5:3])));
        assert (!(late2 && age2[1] && overlap(dma_address[2:0], words2[5:3])));
        assert (!(late3 && age3[1] && overlap(dma_address[2:0], words3[5:3])));
        assert (!(late4 && age4[1] && overlap(dma_address[2:0], words4[5:3])));
        assert (!(held != 2'd0 && overlap(dma_address[2:0], queue[2:0])));
      end
      late1 <= !passes;
      late2 <= late1;
      late3 <= late2;
      late4 <= late3;
      age1 <= reads;
      words1 <= read_address;
      age2 <= age1;
      words2 <= words1;
      age3 <= age2;
      words3 <= words2;
      age4 <= age3;
      words4 <= words3;
      assert (sums == age4);
      if (sums[0]) assert (sum_address[2:0] == words4[2:0]);
      if (sums[1]) assert (sum_address[5:3] == words4[5:3]);
    end
  end
endmodule
`default_nettype wire

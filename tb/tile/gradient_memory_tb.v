// Tests gradient_memory under random traffic, between the reduction unit and AXI4 memories. On all ports
// simultaneously, it sends flits of messages that add or store, and requests data, also of words with pending
// sums. Requests must return what was written before, and the memory must finally contain all sums and
// stores. Then the memory answers first reads and then writes with errors, each of which must be reported
// until a reset. The last line of output is "verified" or the error.
`timescale 1ns/1ns
`default_nettype none
`define MEMORY gradient_memory_tb.memory
module gradient_memory_tb #(
  parameter PORTS = 4,
  parameter BANKS = 4,
  parameter AXI_W = 128,
  parameter LINE_WORDS = 16,
  parameter LINES = 16,
  parameter QUEUE = 16,
  parameter BUFFER = 16,
  parameter LATENCY = 12,
  parameter SLOW = 1,
  parameter ROUNDS = 20,
  parameter SEED = 1
);
  localparam LANES = 4, FLIT_W = 128, ADDR_W = 24;
  localparam REGIONS = 8, REGION = 75, WORDS = REGIONS * REGION;  // a region does not consist of whole lines
  localparam ADDS = 0, STORES = 1, READS = 2;
  localparam [63:0] BASE = 64'h80012345000;  // address of the first word, in the upper half of the address range
  localparam [ADDR_W-1:0] FIRST = 24'habc000;    // offset of BASE from memory_base
  localparam [63:0] ZERO = BASE - {38'd0, FIRST, 2'd0};

  reg clk = 1'b0, rst_n = 1'b0;
  reg [31:0] memory [0:WORDS-1];
  reg [31:0] right [0:WORDS-1];

  // The reduction unit and the memory are connected as in network_interface.
  reg  [PORTS-1:0]        valid = 0, add = 0, asks = 0;
  reg  [PORTS*ADDR_W-1:0] address = 0, asked = 0, next_asked = 0;
  reg  [PORTS*LANES-1:0]  lanes = 0, asked_lanes = 0, next_lanes = 0;
  reg  [PORTS*FLIT_W-1:0] data = 0;
  wire [PORTS-1:0]        ready, read_valid, sum_valid, store_valid, conflict, given;
  wire [PORTS*ADDR_W-1:0] read_address, sum_address, store_address;
  wire [PORTS*LANES-1:0]  sum_lanes, store_lanes;
  wire [PORTS*FLIT_W-1:0] read_data, sum_data, store_data, answer;
  wire [PORTS*($clog2(QUEUE)+1)-1:0] waiting;
  wire                    unit_busy, memory_busy, overflow, error;
  reduction_unit #(.PORTS(PORTS), .QUEUE(QUEUE), .QUEUE_W($clog2(QUEUE)), .WAITS(1)) i_unit (
    .clk_i(clk), .rst_ni(rst_n), .type_i(2'd2), .valid_i(valid), .add_i(add), .vc_i({PORTS{1'b1}}), .address_i(address), .lanes_i(lanes),
    .data_i(data), .ready_i(ready), .read_valid_o(read_valid), .read_address_o(read_address), .read_data_i(read_data), .sum_valid_o(sum_valid),
    .sum_address_o(sum_address), .sum_lanes_o(sum_lanes), .sum_data_o(sum_data), .store_valid_o(store_valid),
    .store_address_o(store_address), .store_lanes_o(store_lanes), .store_data_o(store_data), .dma_valid_i(asks),
    .dma_next_i({PORTS{1'b1}}), .dma_next_address_i(next_asked), .dma_next_lanes_i(next_lanes), .dma_conflict_o(conflict), .waiting_o(waiting), .busy_o(unit_busy),
    .overflow_o(overflow));
  wire [BANKS*44-1:0]      araddr, awaddr;
  wire [7:0]               arlen, awlen;
  wire [2:0]               arsize, awsize;
  wire [1:0]               arburst, awburst;
  wire [BANKS-1:0]         arvalid, arready, rlast, rvalid, rready, awvalid, awready, wlast, wvalid, wready, bvalid, bready;
  wire [BANKS*AXI_W-1:0]   rdata, wdata;
  wire [BANKS*AXI_W/8-1:0] wstrb;
  wire [BANKS*2-1:0]       rresp, bresp;
  gradient_memory #(
    .PORTS(PORTS), .QUEUE(QUEUE), .BUFFER(BUFFER), .BANKS(BANKS), .LINE_WORDS(LINE_WORDS), .LINES(LINES), .AXI_W(AXI_W)
  ) i_memory (
    .clk_i(clk), .rst_ni(rst_n), .base_i(ZERO[43:12]), .coming_valid_i(valid), .coming_add_i(add), .coming_address_i(address),
    .coming_lanes_i(lanes), .ready_o(ready), .read_valid_i(read_valid), .read_data_o(read_data), .sum_lanes_i(sum_lanes),
    .sum_data_i(sum_data), .store_valid_i(store_valid), .store_lanes_i(store_lanes), .store_data_i(store_data),
    .dma_valid_i(asks & ~conflict), .dma_address_i(asked), .dma_lanes_i(asked_lanes), .dma_data_valid_o(given),
    .dma_data_o(answer), .busy_o(memory_busy), .error_o(error), .araddr_o(araddr), .arlen_o(arlen), .arsize_o(arsize),
    .arburst_o(arburst), .arvalid_o(arvalid), .arready_i(arready), .rdata_i(rdata), .rresp_i(rresp), .rlast_i(rlast),
    .rvalid_i(rvalid), .rready_o(rready), .awaddr_o(awaddr), .awlen_o(awlen), .awsize_o(awsize), .awburst_o(awburst),
    .awvalid_o(awvalid), .awready_i(awready), .wdata_o(wdata), .wstrb_o(wstrb), .wlast_o(wlast), .wvalid_o(wvalid),
    .wready_i(wready), .bresp_i(bresp), .bvalid_i(bvalid), .bready_o(bready));
  wire [BANKS-1:0] bank_failures;
  reg  [1:0]       fails = 2'd0;  // which of reads and writes the memory answers with errors
  genvar b;
  generate
    for (b = 0; b < BANKS; b = b + 1) begin : g_bank
      axi_memory #(
        .AXI_W(AXI_W), .BEATS(LINE_WORDS * 32 / AXI_W), .LEAST(LATENCY), .SLOW(SLOW), .SEED(SEED * BANKS + b), .WORDS(WORDS),
        .BASE(BASE)
      ) i_axi (
        .clk_i(clk), .rst_ni(rst_n), .araddr_i(araddr[b*44+:44]), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst),
        .arvalid_i(arvalid[b]), .arready_o(arready[b]), .rdata_o(rdata[b*AXI_W+:AXI_W]), .rresp_o(rresp[b*2+:2]),
        .rlast_o(rlast[b]), .rvalid_o(rvalid[b]), .rready_i(rready[b]), .awaddr_i(awaddr[b*44+:44]), .awlen_i(awlen),
        .awsize_i(awsize), .awburst_i(awburst), .awvalid_i(awvalid[b]), .awready_o(awready[b]),
        .wdata_i(wdata[b*AXI_W+:AXI_W]), .wstrb_i(wstrb[b*AXI_W/8+:AXI_W/8]), .wlast_i(wlast[b]), .wvalid_i(wvalid[b]),
        .wready_o(wready[b]), .bresp_o(bresp[b*2+:2]), .bvalid_o(bvalid[b]), .bready_i(bready[b]));
      assign bank_failures[b] = i_axi.failures != 0;
      always @(fails) {i_axi.write_fails, i_axi.read_fails} = fails;
    end
  endgenerate

  // For each port: the flits and requests that have not been offered, and the requests that have not been
  // answered.
  integer kind [0:REGIONS-1];
  integer owner [0:REGIONS-1];
  integer at [0:PORTS-1];
  integer left [0:PORTS-1];
  integer messages [0:PORTS-1];
  reg     adds [0:PORTS-1];
  integer asks_at [0:PORTS-1];
  integer asks_left [0:PORTS-1];
  integer requests [0:PORTS-1];
  integer under_way [0:PORTS-1];
  integer first [0:PORTS-1];
  integer next [0:PORTS-1];
  integer expected [0:PORTS*256-1];  // first word of each request in flight; below, the number of its words
  integer expected_words [0:PORTS*256-1];
  integer seed = SEED, round, p, w, region, words, cycle = 0, failures = 0, flits = 0, answers = 0, quiet, reading, mode;

  function integer below(input integer most);
    below = $unsigned($random(seed)) % most;
  endfunction
  task fail(input [8*40-1:0] what, input integer where);
    begin
      if (failures < 5) $display("FAILED: cycle %0d: %0s %0d", cycle, what, where);
      failures = failures + 1;
    end
  endtask

  // Starts a message of port p in a random region, unless the port may not write this region.
  task draw_message;
    begin
      region = below(REGIONS);
      if (kind[region] == ADDS || (kind[region] == STORES && owner[region] == p)) begin
        words = 1 + below(REGION);
        at[p] = region * REGION + below(REGION - words + 1);
        left[p] = words;
        adds[p] = kind[region] == ADDS;
        messages[p] = messages[p] - 1;
      end
    end
  endtask
  task offer_flit;
    begin
      words = left[p] < LANES ? left[p] : LANES;
      valid[p] = 1'b1;
      add[p] = adds[p];
      address[p*ADDR_W+:ADDR_W] = FIRST + at[p];
      for (w = 0; w < LANES; w = w + 1) begin
        lanes[p*LANES+w] = w < words;
        data[(p*LANES+w)*32+:32] = $random(seed);
        if (w < words) right[at[p]+w] = (adds[p] ? right[at[p]+w] : 0) + data[(p*LANES+w)*32+:32];
      end
      at[p] = at[p] + words;
      left[p] = left[p] - words;
      flits = flits + 1;
    end
  endtask
  task draw_request;
    begin
      region = below(REGIONS);
      if (reading || kind[region] == READS) begin
        words = 1 + below(REGION);
        asks_at[p] = region * REGION + below(REGION - words + 1);
        asks_left[p] = words;
        requests[p] = requests[p] - 1;
      end
    end
  endtask
  task check_answer;
    begin
      for (w = 0; w < expected_words[p*256+first[p]%256]; w = w + 1)
        if (answer[(p*LANES+w)*32+:32] !== right[expected[p*256+first[p]%256]+w]) fail("wrong data for word", expected[p*256+first[p]%256] + w);
      first[p] = first[p] + 1;
      under_way[p] = under_way[p] - 1;
      answers = answers + 1;
    end
  endtask

  // Runs one cycle: makes offers, checks answers and updates the state.
  task step;
    begin
      valid = 0;
      for (p = 0; p < PORTS; p = p + 1) begin
        if (left[p] == 0 && messages[p] > 0) draw_message;
        // A flit is offered only if the unit has a free slot.
        if (left[p] > 0 && waiting[p*($clog2(QUEUE)+1)+:$clog2(QUEUE)+1] < QUEUE && below(4) != 0) offer_flit;
        asks[p] = asks_left[p] > 0 && under_way[p] < BUFFER && (asks[p] || below(4) != 0);
      end
      asked = next_asked;
      asked_lanes = next_lanes;
      #1;
      for (p = 0; p < PORTS; p = p + 1) begin
        if (given[p]) check_answer;
        if (asks[p] && conflict[p] !== 1'b1) begin
          words = asks_left[p] < LANES ? asks_left[p] : LANES;
          expected[p*256+next[p]%256] = asks_at[p];
          expected_words[p*256+next[p]%256] = words;
          next[p] = next[p] + 1;
          under_way[p] = under_way[p] + 1;
          asks_at[p] = asks_at[p] + words;
          asks_left[p] = asks_left[p] - words;
        end
        if (asks_left[p] == 0 && requests[p] > 0) draw_request;
        words = asks_left[p] < LANES ? asks_left[p] : LANES;
        next_asked[p*ADDR_W+:ADDR_W] = FIRST + asks_at[p];
        for (w = 0; w < LANES; w = w + 1) next_lanes[p*LANES+w] = w < words;
      end
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      cycle = cycle + 1;
    end
  endtask

  // Whether flits or requests remain to be offered or answered.
  function integer offers(input integer unused);
    begin
      offers = 0;
      for (p = 0; p < PORTS; p = p + 1) if (left[p] > 0 || messages[p] > 0 || asks_left[p] > 0 || requests[p] > 0 || under_way[p] > 0) offers = 1;
    end
  endfunction
  function integer sends(input integer unused);
    begin
      sends = 0;
      for (p = 0; p < PORTS; p = p + 1) if (left[p] > 0 || messages[p] > 0) sends = 1;
    end
  endfunction
  task no_later_than(input integer most);
    if (cycle > most && failures == 0) begin
      fail("not done in round", round);
      round = ROUNDS;
    end
  endtask

  // Sends messages that add, and waits until all sums are in memory.
  task add_some;
    begin
      for (region = 0; region < REGIONS; region = region + 1) kind[region] = ADDS;
      for (p = 0; p < PORTS; p = p + 1) messages[p] = 2;
      quiet = cycle + 10000;
      while ((offers(0) != 0 || unit_busy || memory_busy) && cycle < quiet) step;
      if (memory_busy !== 1'b0) fail("memory stays busy", 0);
    end
  endtask
  task reset;
    begin
      rst_n = 1'b0;
      step;
      rst_n = 1'b1;
      step;
      if (error !== 1'b0) fail("an error is reported after a reset", 0);
    end
  endtask

  initial begin
    for (w = 0; w < WORDS; w = w + 1) begin
      memory[w] = $random(seed);
      right[w] = memory[w];
    end
    for (p = 0; p < PORTS; p = p + 1) begin
      left[p] = 0;
      messages[p] = 0;
      asks_left[p] = 0;
      requests[p] = 0;
      under_way[p] = 0;
      first[p] = 0;
      next[p] = 0;
    end
    reading = 0;
    step;
    step;
    rst_n = 1'b1;
    for (round = 0; round < ROUNDS; round = round + 1) begin
      // At least one region each is for adding, storing and reading, so that every port finds a region.
      for (region = 0; region < REGIONS; region = region + 1) begin
        kind[region] = region < 3 ? region : below(3);
        owner[region] = below(PORTS);
      end
      for (p = 0; p < PORTS; p = p + 1) begin
        messages[p] = 1 + below(4);
        requests[p] = below(4);
      end
      quiet = cycle + 40000;
      while (sends(0) != 0 && round < ROUNDS) begin
        step;
        no_later_than(quiet);
      end
      // From here on, requests may read any words, including words with pending sums of flits from earlier
      // cycles.
      reading = 1;
      step;
      for (p = 0; p < PORTS; p = p + 1) requests[p] = requests[p] + 1 + below(4);
      while (offers(0) != 0 && round < ROUNDS) begin
        step;
        no_later_than(quiet);
      end
      while (unit_busy && round < ROUNDS) begin
        step;
        no_later_than(quiet);
      end
      reading = 0;
      if (below(3) == 0) begin
        while (memory_busy && round < ROUNDS) begin
          step;
          no_later_than(quiet);
        end
        for (w = 0; w < WORDS; w = w + 1) if (memory_busy === 1'b0 && memory[w] !== right[w]) fail("wrong word in memory", w);
      end
    end
    quiet = cycle + 10000;
    while (memory_busy && cycle < quiet) step;
    if (memory_busy !== 1'b0) fail("memory stays busy", 0);
    for (w = 0; w < WORDS; w = w + 1) if (memory[w] !== right[w]) fail("wrong word in memory", w);
    if (overflow !== 1'b0 || error !== 1'b0 || bank_failures != 0) fail("an error was reported", bank_failures);
    for (mode = 1; mode <= 2; mode = mode + 1) begin
      reset;
      add_some;
      if (error !== 1'b0) fail("an error is reported although none occurred", mode);
      fails = mode[1:0];
      add_some;
      fails = 2'd0;
      step;
      if (error !== 1'b1) fail("an error is not reported", mode);
    end
    reset;
    if (failures == 0) $display("verified: %0d flits and %0d answers in %0d cycles", flits, answers, cycle);
    $finish;
  end
endmodule
`default_nettype wire

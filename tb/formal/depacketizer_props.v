// Properties of depacketizer for arbitrarily interleaved packets of two virtual channels. Data flits are
// written at consecutive addresses, which begin with the address in the head; all words are written, and no
// padding. Every message is reported as arrived exactly when the tail of its last packet arrives, provided
// that there are no more incomplete messages than slots.
`default_nettype none
module depacketizer_props (input wire clk_i);
  localparam VCS = 2, ADDR_W = 4, LEN_W = 3, PACKETS_W = 2, TAG_W = 2, NAME_W = 4;
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;

  wire        valid_any = $anyseq;
  wire        valid = valid_any && started;
  wire        vc = $anyseq;
  wire        head = $anyseq;
  wire        tail = $anyseq;
  wire [63:0] flit = $anyseq;
  wire        data_valid, data_add, arrived, arrived_add, arrived_store, arrived_flow, overflow;
  wire [3:0]  data_address;
  wire [1:0]  data_lanes;
  wire [63:0] data;
  wire [1:0]  data_vc;
  wire [7:0]  vc_address;
  wire [3:0]  vc_lanes;
  depacketizer #(
    .FLIT_W(64), .LANES(2), .VCS(VCS), .FLOW_W(1), .ADDR_W(ADDR_W), .LEN_W(LEN_W), .PACKETS_W(PACKETS_W), .TAG_W(TAG_W),
    .PENDING(2)
  ) dut (
    .clk_i(clk_i), .rst_ni(started), .valid_i({vc && valid, !vc && valid}), .head_i(head), .tail_i(tail), .flit_i(flit),
    .data_valid_o(data_valid), .data_add_o(data_add), .data_address_o(data_address), .data_lanes_o(data_lanes), .data_o(data),
    .data_vc_o(data_vc), .vc_address_o(vc_address), .vc_lanes_o(vc_lanes),
    .arrived_o(arrived), .arrived_add_o(arrived_add), .arrived_store_o(arrived_store), .arrived_flow_o(arrived_flow), .overflow_o(overflow));

  // A head contains, from bit 0: add, flow, address, words, tag, packets.
  wire [NAME_W-1:0]    name_in = {flit[9+:TAG_W], flit[1], flit[0]};
  wire [PACKETS_W-1:0] packets_in = flit[11+:PACKETS_W];
  // The state of the packet on each virtual channel.
  reg              within [0:VCS-1];
  reg [NAME_W-1:0] name [0:VCS-1];
  reg [ADDR_W-1:0] address [0:VCS-1];
  reg [LEN_W-1:0]  left [0:VCS-1];       // remaining words
  reg [PACKETS_W-1:0] packets [0:VCS-1];
  initial begin
    within[0] = 1'b0;
    within[1] = 1'b0;
  end

  // An arbitrary message, which the properties watch.
  wire [NAME_W-1:0]    watched = $anyconst;
  wire [PACKETS_W-1:0] size = $anyconst;
  reg  [PACKETS_W-1:0] heads = 0, tails = 0;  // heads and tails of the watched message that have arrived
  wire ends = valid && tail && name[vc] == watched;
  wire completes = ends && tails + 1'b1 == size;
  always @(posedge clk_i) begin
    assume (size != 2'd0);
    if (started) assume (!overflow);
    if (valid) begin
      assume (head == !within[vc]);                 // packets on one virtual channel do not interleave
      assume (!(head && tail));
      assume (!tail || left[vc] <= 3'd2);           // after the last words, only padding may follow before the tail
      if (head) begin
        assume (packets_in != 2'd0);
        if (name_in == watched) assume (packets_in == size && heads < size);
      end
      within[vc] <= !tail;
      if (head) begin
        name[vc] <= name_in;
        address[vc] <= flit[2+:ADDR_W];
        left[vc] <= flit[6+:LEN_W];
        packets[vc] <= packets_in;
      end else begin
        address[vc] <= address[vc] + 4'd2;
        left[vc] <= left[vc] < 3'd2 ? 3'd0 : left[vc] - 3'd2;
      end
    end
    if (started) begin
      assert (data_valid == (valid && !head && left[vc] != 3'd0));
      if (data_valid) begin
        assert (data == flit && data_add == name[vc][0] && data_address == address[vc]);
        assert (data_lanes == (left[vc] == 3'd1 ? 2'b01 : 2'b11));
        assert (data_vc == 2'd1 << vc && vc_address[vc*4+:4] == data_address && vc_lanes[vc*2+:2] == data_lanes);
      end
      assert (arrived_store == (arrived && !arrived_add));
      if (arrived) assert (valid && tail && arrived_add == name[vc][0] && arrived_flow == name[vc][1]);
      if (ends) assert (arrived == completes);
      if (valid && tail && packets[vc] == 2'd1) assert (arrived);
      if (valid && head && name_in == watched) heads <= heads + 1'b1;
      if (ends) tails <= tails + 1'b1;
      if (completes) begin
        heads <= 2'd0;
        tails <= 2'd0;
      end
      cover (completes && size == 2'd2 && within[!vc]);     // the other channel is within a packet
      cover (data_valid && data_lanes == 2'b01);
      cover (completes && size == 2'd3);
    end
  end
endmodule
`default_nettype wire

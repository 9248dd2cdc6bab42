// Proves that injection_port conserves credits: the flits in flight on a virtual channel never exceed its
// slots, and no slot is lost. A packet stays on one virtual channel. A virtual channel with a free slot is
// used after at most as many packets as there are virtual channels.
`default_nettype none
module injection_port_props (input wire clk_i);
  reg started = 1'b0, loaded = 1'b0;
  always @(posedge clk_i) begin
    started <= 1'b1;
    loaded <= started;
  end
  wire [3:0] places = $anyconst;  // slots of the two virtual channels
  wire [1:0] credit = $anyseq;
  wire valid = $anyseq, tail = $anyseq;
  reg in_packet = 1'b0;
  wire taken, room;
  wire vc;
  injection_port #(.VCS(2), .VC_W(1), .CREDIT_W(2)) dut (
    .clk_i(clk_i), .rst_ni(started), .load_i(!loaded), .credits_i(places), .credit_i(credit), .flit_valid_i(valid),
    .flit_head_i(!in_packet), .room_o(room), .flit_taken_o(taken), .vc_o(vc));

  reg [1:0] out0 = 2'd0, out1 = 2'd0;  // flits in flight on each virtual channel
  wire [1:0] after0 = out0 - {1'b0, credit[0]};
  wire [1:0] after1 = out1 - {1'b0, credit[1]};
  wire place0 = after0 < places[1:0];
  wire place1 = after1 < places[3:2];
  reg held = 1'b0;
  reg [1:0] passed0 = 2'd0;  // packets sent on other virtual channels while virtual channel 0 had a free slot
  always @(posedge clk_i) begin
    if (!loaded) begin
      assume (!valid && credit == 2'd0);
    end else begin
      assume (!credit[0] || out0 != 2'd0);
      assume (!credit[1] || out1 != 2'd0);
      if (taken) assert (vc ? place1 : place0);
      if (valid && !in_packet && (place0 || place1)) assert (taken);
      if (in_packet && taken) assert (vc == held);
      if (in_packet && valid && (held ? place1 : place0)) assert (taken);
      assert (taken == (valid && room));
      assert (room == (in_packet ? (held ? place1 : place0) : place0 || place1));
      out0 <= after0 + {1'b0, taken && !vc};
      out1 <= after1 + {1'b0, taken && vc};
      if (taken) begin
        in_packet <= !tail;
        if (!in_packet) held <= vc;
      end
      if (!place0 || (taken && !in_packet && !vc)) passed0 <= 2'd0;
      else if (taken && !in_packet) passed0 <= passed0 + 2'd1;
      assert (passed0 < 2'd2);
    end
  end
endmodule
`default_nettype wire

// A valid/ready channel with registers at both ends, so that no combinational path crosses it. It transfers one word
// per cycle, with a latency of one cycle. Since ready_o is registered, a word may still arrive in the cycle in which
// the receiver stops accepting words; a second slot holds it. Without SPILL, the channel consists of wires.
`default_nettype none
module spill_register #(
  parameter WIDTH = 1,
  parameter SPILL = 1  // 1: registers; 0: wires
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             valid_i,  // must be 0 during a reset
  output wire             ready_o,
  input  wire [WIDTH-1:0] data_i,
  output wire             valid_o,
  input  wire             ready_i,
  output wire [WIDTH-1:0] data_o    // holds its value until the next word
);
  generate
    if (SPILL != 0) begin : g_registers
      reg             front_valid_q, behind_valid_q;
      reg [WIDTH-1:0] front_q, behind_q;
      wire moves = !front_valid_q || ready_i;  // the front slot is empty or will be empty after this cycle
      assign ready_o = !behind_valid_q;
      assign valid_o = front_valid_q;
      assign data_o = front_q;
      always @(posedge clk_i) begin
        if (!rst_ni) begin
          front_valid_q <= 1'b0;
          behind_valid_q <= 1'b0;
        end else begin
          if (moves) front_valid_q <= valid_i || behind_valid_q;
          behind_valid_q <= !moves && (valid_i || behind_valid_q);
        end
        if (moves && (valid_i || behind_valid_q)) front_q <= behind_valid_q ? behind_q : data_i;
        if (valid_i && !behind_valid_q) behind_q <= data_i;
      end
    end else begin : g_wires
      assign ready_o = ready_i;
      assign valid_o = valid_i;
      assign data_o = data_i;
      wire unused = &{1'b0, clk_i, rst_ni};
    end
  endgenerate
endmodule
`default_nettype wire

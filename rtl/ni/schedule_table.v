// The reduce-schedule table of one port: loaded before the collective, read in order. The memory is read a
// cycle ahead, so that the entry after a popped one is at the head in the next cycle, as a synchronous memory
// macro can. start_i puts the first of count_i entries at the head in the next cycle.
`default_nettype none
module schedule_table #(
  parameter ENTRY_W = 192,  // bits of an entry
  parameter ENTRIES = 256,  // capacity, a power of two
  parameter INDEX_W = 8     // log2(ENTRIES)
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               load_valid_i,
  input  wire [INDEX_W-1:0] load_index_i,
  input  wire [ENTRY_W-1:0] load_entry_i,
  input  wire               start_i,
  input  wire [INDEX_W:0]   count_i,
  input  wire               pop_i,
  output wire               valid_o,   // there is an entry at the head
  output wire [ENTRY_W-1:0] entry_o,
  output wire [INDEX_W:0]   issued_o   // entries popped since the start
);
  reg [ENTRY_W-1:0] entries_q [0:ENTRIES-1];
  reg [ENTRY_W-1:0] entry_q;
  reg [INDEX_W:0]   next_q;
  reg [INDEX_W:0]   count_q;

  wire advance = pop_i && valid_o;
  wire [INDEX_W:0] next_d = start_i ? {(INDEX_W + 1){1'b0}} : advance ? next_q + 1'b1 : next_q;

  assign valid_o = next_q < count_q;
  assign entry_o = entry_q;
  assign issued_o = next_q;

  always @(posedge clk_i) begin
    if (load_valid_i) entries_q[load_index_i] <= load_entry_i;
  end
  always @(posedge clk_i) begin
    if (start_i || advance) entry_q <= entries_q[next_d[INDEX_W-1:0]];
  end
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q <= {(INDEX_W + 1){1'b0}};
      count_q <= {(INDEX_W + 1){1'b0}};
    end else begin
      next_q <= next_d;
      if (start_i) count_q <= count_i;
    end
  end
endmodule
`default_nettype wire

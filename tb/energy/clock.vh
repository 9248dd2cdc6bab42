  // Shared by all benches: clock, reset, event count, and a check of all outputs. From cycle WARM to WARM + CYCLES the
  // values of all nets of the gates are dumped (DUMP).
  reg clk = 1'b0, rst_n = 1'b0, counts = 1'b0;
  integer seed = SEED, load = LOAD, events = 0;
  reg [63:0] check = 64'd0;
  always #(PERIOD / 2) clk = !clk;
  initial begin
    if (!$value$plusargs("load=%d", load)) load = LOAD;
    repeat (4) @(posedge clk);
    #200 rst_n = 1'b1;
    repeat (WARM) @(posedge clk);
    #100 counts = 1'b1;
`ifdef DUMP
    $dumpvars(1, tb.i_dut.i_gates);
`endif
    repeat (CYCLES) @(posedge clk);
    #100 $display("events %0d check %h", events, check);
    $finish;
  end

  task note(input [255:0] value);
    check = {check[62:0], check[63]} ^ value[63:0] ^ value[127:64] ^ value[191:128] ^ value[255:192];
  endtask

  function chance(input integer percent);
    chance = $unsigned($random(seed)) % 100 < percent;
  endfunction

  // The clock, reset and event counter that all testbenches of this folder share, and a check value over all
  // outputs. With DUMP, the values of all nets of the gates are dumped from cycle WARM to WARM + CYCLES.
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

# The constraints of every block, for OpenSTA. The clock period is $period ns and the clocks are ideal. Inputs come,
# through $driver, from an external register at the clock edge; outputs must be valid one set-up time before the next
# edge. The memory behind the network interface answers $memory_access ns after the edge: a bank is accessed and
# returns its data in the same cycle.
if {[llength [get_ports -quiet clk_i]]} {
  create_clock -name clk -period $period [get_ports clk_i]
} else {
  create_clock -name clk -period $period
}
set inputs {}
set memory {}
foreach port [all_inputs] {
  if {[get_name $port] == "clk_i"} continue
  if {[regexp {^\\?(read_data_i|dma_data_i)} [get_name $port]]} { lappend memory $port } else { lappend inputs $port }
}
if {[llength $inputs]} {
  set_input_delay 0 -clock clk $inputs
  set_driving_cell -lib_cell $driver $inputs
}
if {[llength $memory]} { set_input_delay $memory_access -clock clk $memory }
if {[llength [all_outputs]]} {
  set_output_delay 0.18 -clock clk [all_outputs]
  set_load 0.05 [all_outputs]
}

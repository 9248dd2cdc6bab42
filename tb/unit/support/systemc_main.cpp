// The main function of unit tests that use SystemC.
#include <gtest/gtest.h>

#include <cstdlib>
#include <systemc>

// SystemC's entry point, called within the simulation context.
int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

int main(int argc, char** argv) {
  // Prevents SystemC from printing its copyright notice in every test.
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

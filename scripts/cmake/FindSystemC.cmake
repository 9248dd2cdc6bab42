# Finds Debian's SystemC, which has headers, libsystemc.so and a pkg-config file, but no CMake package. Defines the
# imported target SystemC::SystemC. Debian builds the library for C++17, so SC_CPLUSPLUS is set to C++17: headers
# compiled as C++20 would refer to a symbol that the library does not have.
find_path(SystemC_INCLUDE_DIR systemc)
find_library(SystemC_LIBRARY systemc)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR)

if(SystemC_FOUND AND NOT TARGET SystemC::SystemC)
  add_library(SystemC::SystemC UNKNOWN IMPORTED)
  set_target_properties(SystemC::SystemC PROPERTIES
    IMPORTED_LOCATION ${SystemC_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SystemC_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS SC_CPLUSPLUS=201703L)
endif()

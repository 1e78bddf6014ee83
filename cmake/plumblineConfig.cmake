# find_package(plumbline): see cmake/install_package.cmake for the targets.

include(${CMAKE_CURRENT_LIST_DIR}/plumbline_defaults.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)

get_filename_component(_plumbline_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
add_library(plumbline::plumbline SHARED IMPORTED)
set_target_properties(plumbline::plumbline PROPERTIES
  IMPORTED_LOCATION ${_plumbline_prefix}/lib/libplumbline.so)
target_include_directories(plumbline::plumbline INTERFACE ${_plumbline_prefix}/include/plumbline)
target_compile_features(plumbline::plumbline INTERFACE cxx_std_20)
target_link_libraries(plumbline::plumbline INTERFACE torch::cpu nlohmann_json::nlohmann_json
                                                     CLI11::CLI11)

add_library(plumbline::main INTERFACE IMPORTED)
target_sources(plumbline::main INTERFACE ${CMAKE_CURRENT_LIST_DIR}/main.cpp)
target_link_libraries(plumbline::main INTERFACE plumbline::plumbline)

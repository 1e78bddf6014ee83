# The planted bugs: a library of operators that `plumb` loads and never links, and the table that it
# gives of itself, which `plumb list planted` prints.

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/planted/*.cpp)
list(FILTER sources EXCLUDE REGEX "/write_table.cpp$")
add_library(planted MODULE ${sources})
target_compile_options(planted PRIVATE ${PLUMB_WARNINGS})
target_link_libraries(planted PRIVATE torch::cpu nlohmann_json::nlohmann_json)
set_target_properties(planted PROPERTIES PREFIX ""
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/planted)

add_executable(planted_table ${PROJECT_SOURCE_DIR}/fuzz/planted/write_table.cpp)
target_compile_options(planted_table PRIVATE ${PLUMB_WARNINGS})
target_link_libraries(planted_table PRIVATE ${CMAKE_DL_LIBS})
set(PLUMB_PLANTED_TABLE ${PROJECT_BINARY_DIR}/planted/planted.json)
add_custom_command(OUTPUT ${PLUMB_PLANTED_TABLE}
  COMMAND planted_table $<TARGET_FILE:planted> ${PLUMB_PLANTED_TABLE}
  DEPENDS planted planted_table VERBATIM)

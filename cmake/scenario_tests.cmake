# ctest asks the built program which scenarios it has, so that a new scenario file appears by itself:
# one entry per scenario × arm × {cpu, cuda}. Those on cuda carry the label `gpu` and are skipped,
# with the reason, where there is no device.

set(PLUMB_SCENARIO_TESTS ${PROJECT_BINARY_DIR}/scenario_tests.cmake)
if(NOT EXISTS ${PLUMB_SCENARIO_TESTS})
  file(WRITE ${PLUMB_SCENARIO_TESTS} "")  # ctest reads it even where plumb itself is not built
endif()

function(plumb_list_scenarios program)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DOUTPUT=${PLUMB_SCENARIO_TESTS}
            -DOUT_DIR=${PROJECT_BINARY_DIR}/out -P ${PROJECT_SOURCE_DIR}/cmake/list_scenarios.cmake
    BYPRODUCTS ${PLUMB_SCENARIO_TESTS}
    VERBATIM)
endfunction()

# Text that the program carries inside itself, turned into C++ at build time.

function(plumb_embed target input name)
  set(output ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAME=${name}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${input} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${output})
endfunction()

plumb_embed(plumb_harness ${PROJECT_SOURCE_DIR}/harness/variants/inductor/compile.py kInductorCompile)
find_file(PLUMB_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js REQUIRED)
plumb_embed(plumb_reports ${PROJECT_SOURCE_DIR}/reports/html_page.html kHtmlPage)
plumb_embed(plumb_reports ${PROJECT_SOURCE_DIR}/reports/html_page.css kHtmlCss)
plumb_embed(plumb_reports ${PROJECT_SOURCE_DIR}/reports/html_page.js kHtmlJs)
plumb_embed(plumb_reports ${PLUMB_CHART_JS} kChartJs)
plumb_embed(plumb_reports ${PLUMB_PLANTED_TABLE} kPlantedTable)

# `cmake --install` gives find_package(plumbline): the engine, oracles, reporters and the command line
# as one shared library, so that others add scenarios and tests out of tree.
#
#   plumbline::plumbline   link it to write tests with plumb::Matches
#   plumbline::main        link it to get a `plumb` of one's own, with one's own scenarios in it

add_library(plumbline SHARED $<TARGET_OBJECTS:plumb_plumb>)
target_link_libraries(plumbline PRIVATE torch::cpu OpenSSL::Crypto quadmath Threads::Threads
                                        plumb_harness plumb_oracles plumb_findings plumb_sweep plumb_fuzz plumb_reports)
set_target_properties(plumbline PROPERTIES
  LINKER_LANGUAGE CXX
  INSTALL_RPATH "${PLUMB_TORCH_DIR}/lib" BUILD_RPATH "${PLUMB_TORCH_DIR}/lib")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plumbline)
install(TARGETS plumbline LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(plumb PROPERTIES INSTALL_RPATH "${PLUMB_TORCH_DIR}/lib")
install(TARGETS plumb RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(folder harness reports plumb)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plumbline
          FILES_MATCHING PATTERN "*.hpp" PATTERN cuda EXCLUDE)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/plumb/main.cpp DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/plumblineConfig.cmake
              ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake DESTINATION ${package_dir})
file(WRITE ${PROJECT_BINARY_DIR}/plumbline_defaults.cmake
     "set(PLUMB_TORCH_DIR \"${PLUMB_TORCH_DIR}\" CACHE PATH \"The torch package plumbline was built with\")\n")
install(FILES ${PROJECT_BINARY_DIR}/plumbline_defaults.cmake DESTINATION ${package_dir})

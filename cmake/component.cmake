# One folder, one object library: the linker drops no registrar, and a new file needs no edit here.

# Fields left out of a designated initialiser take their default: that is what they are for.
# The other two misfire on std::string in GCC 12 (bugs 105329, 105651).
set(PLUMB_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers
                   -Wno-restrict -Wno-stringop-overflow)

function(plumb_options target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_compile_options(${target} PRIVATE ${PLUMB_WARNINGS})
  target_link_libraries(${target} PUBLIC torch::cpu nlohmann_json::nlohmann_json CLI11::CLI11
                                         OpenSSL::Crypto quadmath Threads::Threads)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${target} PRIVATE -fPIC)  # as the precompiled header was made
  endif()
  if(TARGET plumb_harness AND NOT target STREQUAL plumb_harness)
    target_precompile_headers(${target} REUSE_FROM plumb_harness)
  endif()
endfunction()

function(plumb_component name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  # Programs, plugins, and a library that is loaded.
  list(FILTER sources EXCLUDE REGEX "/(main|ggml/kernels)\.cpp$|/fuzz/(libfuzzer|rapidcheck|planted)/|/harness/cuda/")
  add_library(plumb_${name} OBJECT ${sources})
  if(name STREQUAL "harness")
    target_precompile_headers(plumb_harness PRIVATE ${PROJECT_SOURCE_DIR}/harness/precompiled.hpp)
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty
                    OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # One small file depends on these, so that a commit or another path does not rebuild the rest.
    set_source_files_properties(${PROJECT_SOURCE_DIR}/harness/build_info.cpp PROPERTIES
      COMPILE_DEFINITIONS "PLUMB_VERSION=\"${PROJECT_VERSION}\";PLUMB_GIT=\"${revision}\";\
PLUMB_SMOLLM2_DEFAULT=\"${PLUMB_SMOLLM2}\";PLUMB_MINILM_DEFAULT=\"${PLUMB_MINILM}\";\
PLUMB_PYTHON=\"${PLUMB_TORCH_DIR}/../../../../bin/python3\";PLUMB_BUILD=\"${PROJECT_BINARY_DIR}\";PLUMB_NO_CUDA=\"${PLUMB_NO_CUDA}\"")
  endif()
  plumb_options(plumb_${name})
  # Files without torch compile in a fifth of the time it takes to load the precompiled header.
  list(FILTER sources INCLUDE REGEX "/(harness/(io/(gguf|safetensors|mapped)|compare|format|result|\
errors|text|verdict|json_fields|frame|isolate|atomic_file|build_info|capture_refusal|plugin)[a-z_]*|reports/[a-z]+)\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/reports/catalogue.cpp$")
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  # The comparison kernel is written for the auto-vectoriser.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/harness/compare_screen.cpp PROPERTIES
    COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
endfunction()

# Engines of `plumb fuzz`, for executables alone: libFuzzer only sees counters that lie in one.
function(plumb_link_search_engines target)
  if(NOT TARGET plumb_rapidcheck)
    add_library(plumb_rapidcheck OBJECT ${PROJECT_SOURCE_DIR}/fuzz/rapidcheck/rapidcheck.cpp)
    plumb_options(plumb_rapidcheck)
    target_link_libraries(plumb_rapidcheck PUBLIC rapidcheck)
  endif()
  target_link_libraries(${target} PRIVATE plumb_rapidcheck)
  if(NOT PLUMB_LIBFUZZER)
    return()
  endif()
  if(NOT TARGET plumb_libfuzzer)
    add_library(plumb_libfuzzer OBJECT ${PROJECT_SOURCE_DIR}/fuzz/libfuzzer/libfuzzer.cpp)
    plumb_options(plumb_libfuzzer)
  endif()
  target_link_libraries(${target} PRIVATE plumb_libfuzzer ${PLUMB_LIBFUZZER} ${CMAKE_DL_LIBS} m)
endfunction()

set(PLUMB_COMPONENTS plumb_harness plumb_oracles plumb_scenarios plumb_findings plumb_sweep
                     plumb_fuzz plumb_reports)

# ggml, from the source package that tools/setup downloads by hash, as shared libraries that the
# variants ggml-* load at first use:
#   plugins/plumb_ggml.so         as its packages are built (AVX2)
#   plugins/plumb_ggml_native.so  as GGML_NATIVE=ON builds it on a CPU with AVX512-FP16, where this
#                                 version adds f16 products in f16: known to be wrong, must be found
#   plugins/plumb_ggml_emulated.so  the same with each of those instructions emulated, so that it is
#                                 found on CPUs with AVX-512 alone

set(PLUMB_GGML "" CACHE PATH "ggml's sources, vendor/ggml of the ggml-python package")
if(NOT EXISTS ${PLUMB_GGML}/CMakeLists.txt)
  message(STATUS "PLUMB_GGML='${PLUMB_GGML}' holds no CMakeLists.txt: no ggml variants")
  return()
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Asan")  # sources of others are not what the sanitisers are for
  return()
endif()

enable_language(C)
set(BUILD_SHARED_LIBS OFF)
foreach(option NATIVE OPENMP CCACHE BUILD_TESTS BUILD_EXAMPLES LLAMAFILE ALL_WARNINGS CPU_REPACK)
  set(GGML_${option} OFF CACHE INTERNAL "")
endforeach()
set(GIT_EXE "" CACHE INTERNAL "")  # it would name our commit as its own
add_subdirectory(${PLUMB_GGML} ggml EXCLUDE_FROM_ALL SYSTEM)

# The same sources once more, for the other instructions. GGML_NATIVE=ON means -march=native; the CPU
# is named instead, so that every machine builds the same and only one that has it runs it.
get_target_property(sources ggml-cpu SOURCES)
get_target_property(folder ggml-cpu SOURCE_DIR)
get_target_property(definitions ggml-cpu COMPILE_DEFINITIONS)
get_directory_property(folder_definitions DIRECTORY ${folder} COMPILE_DEFINITIONS)
get_target_property(includes ggml-cpu INCLUDE_DIRECTORIES)
list(FILTER sources INCLUDE REGEX "\\.(c|cpp)$")
list(FILTER definitions EXCLUDE REGEX "^GGML_(SSE42|F16C|FMA|BMI2|AVX|AVX2)$")
set(absolute "")
foreach(source ${sources})
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
  list(APPEND absolute ${source})
endforeach()
function(plumb_ggml_cpu name)  # and compiler options
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${absolute})
  target_compile_definitions(${name} PRIVATE ${definitions} ${folder_definitions})
  target_include_directories(${name} PRIVATE ${includes})
  target_compile_options(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES C_STANDARD 11 CXX_STANDARD 17 CXX_EXTENSIONS ON)
  target_link_libraries(${name} PUBLIC ggml-base)
endfunction()

plumb_ggml_cpu(ggml-cpu-native -march=sapphirerapids)
plumb_ggml_cpu(ggml-cpu-emulated -march=skylake-avx512
  -include ${PROJECT_SOURCE_DIR}/harness/variants/ggml/emulated_fp16.h)

# Sources of others: no warnings of ours, and optimised in every kind of build.
foreach(target ggml-base ggml-cpu ggml-cpu-native ggml-cpu-emulated)
  target_compile_options(${target} PRIVATE -w -O2)
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")
endforeach()

function(plumb_ggml_plugin name cpu)
  add_library(${name} MODULE ${PROJECT_SOURCE_DIR}/harness/variants/ggml/kernels.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${PLUMB_WARNINGS})
  # Its names stay inside: each plugin holds all of ggml.
  target_link_libraries(${name} PRIVATE ${cpu} ggml-base -Wl,--exclude-libs,ALL)
  # clang 14 does not know the CPU features that kernels.cpp asks for.
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_CLANG_TIDY ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins)
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/plumbline)
  add_dependencies(plumb_harness ${name})
endfunction()

plumb_ggml_plugin(plumb_ggml ggml-cpu)
plumb_ggml_plugin(plumb_ggml_native ggml-cpu-native)
target_compile_definitions(plumb_ggml_native PRIVATE PLUMB_GGML_AVX512_FP16)
plumb_ggml_plugin(plumb_ggml_emulated ggml-cpu-emulated)
target_compile_definitions(plumb_ggml_emulated PRIVATE PLUMB_GGML_AVX512)

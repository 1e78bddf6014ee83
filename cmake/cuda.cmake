# The CUDA plugin, harness/cuda, as plugins/plumb_cuda.so: a library of its own, which the program
# loads where there is a driver. No target of the program needs anything of CUDA.
# PLUMB_CUDA=OFF leaves it out; so do a machine without nvcc and a torch without CUDA.

option(PLUMB_CUDA "Build the CUDA plugin where nvcc is found" ON)

# What keeps it from being built, in words; empty where nothing does.
function(plumb_why_no_cuda result)
  set(${result} "" PARENT_SCOPE)
  find_package(CUDAToolkit QUIET)
  set(CUDAToolkit_NVCC_EXECUTABLE ${CUDAToolkit_NVCC_EXECUTABLE} PARENT_SCOPE)
  set(CUDAToolkit_INCLUDE_DIRS ${CUDAToolkit_INCLUDE_DIRS} PARENT_SCOPE)
  file(GLOB runtime ${PLUMB_TORCH_DIR}/../nvidia/*/lib/libcudart.so.${CUDAToolkit_VERSION_MAJOR})
  set(PLUMB_CUDART ${runtime} PARENT_SCOPE)
  if(NOT PLUMB_CUDA)
    set(${result} "PLUMB_CUDA is OFF" PARENT_SCOPE)
  elseif(NOT EXISTS "${CUDAToolkit_NVCC_EXECUTABLE}")
    set(${result} "nvcc was not found" PARENT_SCOPE)
  elseif(NOT EXISTS ${PLUMB_TORCH_DIR}/lib/libtorch_cuda.so)
    set(${result} "this torch has no CUDA" PARENT_SCOPE)
  elseif(NOT runtime)
    set(${result} "this torch is not for CUDA ${CUDAToolkit_VERSION_MAJOR}, which nvcc is of" PARENT_SCOPE)
  endif()
endfunction()

plumb_why_no_cuda(PLUMB_NO_CUDA)
if(PLUMB_NO_CUDA)
  message(STATUS "No CUDA plugin: ${PLUMB_NO_CUDA}")
  return()
endif()

set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100)  # the last also as PTX, for what comes later
enable_language(CUDA)

get_filename_component(cuda_libraries ${PLUMB_CUDART} DIRECTORY)
file(GLOB cublas ${cuda_libraries}/libcublas.so.* ${PLUMB_TORCH_DIR}/../nvidia/*/lib/libcublas.so.*)
list(GET cublas 0 cublas)

# Without torch's headers, which cost nvcc a minute a file. The figures must be those of the host:
# no multiplication and addition in one rounding.
add_library(plumb_cuda_kernels OBJECT ${PROJECT_SOURCE_DIR}/harness/cuda/compare.cu)
target_include_directories(plumb_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(plumb_cuda_kernels PRIVATE
  --expt-relaxed-constexpr --fmad=false -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror,-Wno-unknown-pragmas)

file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/harness/cuda/*.cpp)
# It takes no symbol from the program.
add_library(plumb_cuda MODULE ${cuda_sources} ${PROJECT_SOURCE_DIR}/harness/format.cpp
                              $<TARGET_OBJECTS:plumb_cuda_kernels>)
target_link_options(plumb_cuda PRIVATE -Wl,-z,defs)
target_include_directories(plumb_cuda PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(plumb_cuda SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_compile_options(plumb_cuda PRIVATE ${PLUMB_WARNINGS})
# The runtime of the wheel, not the toolkit's: there must be one in the process.
target_link_libraries(plumb_cuda PRIVATE torch::cpu ${PLUMB_TORCH_DIR}/lib/libc10_cuda.so
  ${PLUMB_TORCH_DIR}/lib/libtorch_cuda.so ${PLUMB_CUDART} ${cublas})
set_target_properties(plumb_cuda PROPERTIES
  PREFIX "" LINKER_LANGUAGE CXX CUDA_RUNTIME_LIBRARY None
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins
  BUILD_RPATH "${PLUMB_TORCH_DIR}/lib;${cuda_libraries}"
  INSTALL_RPATH "${PLUMB_TORCH_DIR}/lib;${cuda_libraries}")
install(TARGETS plumb_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/plumbline)

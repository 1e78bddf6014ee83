# Builds examples/custom-kernel as its author would and sweeps it: every mistake must be found, and
# nothing else. PLUMB: the program; SOURCE: the example; TORCH: the torch package; WORK: a scratch
# folder.

cmake_policy(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/../must.cmake)

set(right sum softmax causal_attention scale silu)
set(wrong sum_tail sum_bf16_accumulate sum_threads softmax_no_rescale softmax_odd
          causal_attention_off_by_one scale_flush silu_wrong_gradient)

# find_package(Torch) wants a CUDA toolkit that a machine need not have, and fails when it is asked twice.
set(torch -DTORCH_FOLDER=${TORCH})
file(MAKE_DIRECTORY ${WORK})
must(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B build -DCMAKE_MAKE_PROGRAM=${NINJA}
             -DCMAKE_BUILD_TYPE=Release ${torch} ${LAUNCHER})
must(COMMAND ${CMAKE_COMMAND} --build build)

must(STATUS 1 COMMAND ${PLUMB} sweep example::* --cases 13 --threads 2 --load-library build/libcustom_kernel.so
     --reference example::sum*=aten::sum.dim_IntList
     --reference example::softmax*=aten::softmax.int
     --reference example::causal_attention*=aten::scaled_dot_product_attention
     --reference example::scale*=aten::mul.Scalar
     --reference example::silu*=aten::silu)
file(READ ${WORK}/out/results.json results)
string(JSON last LENGTH "${results}" results)
math(EXPR last "${last} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${results}" results ${i} name)
  string(JSON ok GET "${results}" results ${i} ok)
  list(APPEND judged ${name})
  if(ok)
    continue()
  endif()
  list(APPEND found ${name})
  string(JSON replay_of_${name} GET "${results}" results ${i} replay)
  if(name IN_LIST right)
    string(JSON row GET "${results}" results ${i})
    message(SEND_ERROR "a right kernel is reported: ${row}")
  endif()
endforeach()
foreach(name ${right} ${wrong})
  if(NOT name IN_LIST judged)
    message(SEND_ERROR "${name} was not judged")
  endif()
endforeach()
foreach(name ${wrong})
  if(NOT name IN_LIST found)
    message(SEND_ERROR "the mistake in ${name} was not found")
    continue()
  endif()
  # The replay line alone, in a fresh process.
  separate_arguments(replay UNIX_COMMAND "${replay_of_${name}}")
  list(POP_FRONT replay)
  must(COMMAND ${PLUMB} ${replay} OUTPUT said)
  if(NOT said MATCHES "^same ")
    message(SEND_ERROR "${replay_of_${name}}\nsays:\n${said}")
  endif()
endforeach()

# With one thread the one that splits its work between threads is right.
must(COMMAND ${PLUMB} sweep example::sum_threads --load-library build/libcustom_kernel.so
     --reference aten::sum.dim_IntList)
# Against itself in double, a mistake that its double kernel shares is not seen.
must(COMMAND ${PLUMB} sweep example::softmax_odd --dtype f32 --load-library build/libcustom_kernel.so)

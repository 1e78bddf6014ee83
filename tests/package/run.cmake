# Installs the build tree into a scratch prefix, builds this out-of-tree project against it and runs
# what it made. BUILD: the build tree; WORK: a scratch folder.

include(${CMAKE_CURRENT_LIST_DIR}/../must.cmake)

file(REMOVE_RECURSE ${WORK}/prefix)
must(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
must(COMMAND ${WORK}/prefix/bin/plumb list scenarios)
must(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
             -DCMAKE_MAKE_PROGRAM=${NINJA} -DCMAKE_PREFIX_PATH=${WORK}/prefix
             -DCMAKE_BUILD_TYPE=Release ${LAUNCHER})
must(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build)
must(COMMAND ${WORK}/build/my_plumb run log-of-softmax --out ${WORK}/out)
must(COMMAND ${WORK}/build/my_plumb fuzz exp --out ${WORK}/out STATUS 3)  # no engine in a library
must(COMMAND ${WORK}/build/my_tests)
must(COMMAND ${WORK}/build/my_tests --gtest_also_run_disabled_tests
             --gtest_filter=*NaiveSoftmaxDoesNot STATUS 1 OUTPUT said)
foreach(word "verdict nonfinite" "worst at [" "replay:" "NaiveSoftmaxDoesNot")
  string(FIND "${said}" "${word}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the matcher does not print '${word}':\n${said}")
  endif()
endforeach()

# Writes the ctest entries of every scenario that PROGRAM lists to OUTPUT.

execute_process(COMMAND ${PROGRAM} list scenarios --json OUTPUT_VARIABLE json
                COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${json}" scenarios)
set(text "")
if(count GREATER 0)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${json}" scenarios ${i} name)
    string(JSON arms LENGTH "${json}" scenarios ${i} arms)
    if(arms EQUAL 0)
      continue()
    endif()
    math(EXPR last_arm "${arms} - 1")
    foreach(a RANGE ${last_arm})
      string(JSON arm MEMBER "${json}" scenarios ${i} arms ${a})
      foreach(device cpu cuda)
        set(test scenario.${name}.${arm}.${device})
        set(labels scenario)
        if(device STREQUAL "cuda")
          list(APPEND labels gpu)
        endif()
        string(APPEND text
          "add_test([[${test}]] [[${PROGRAM}]] run [[${name}]] --arm ${arm} --device ${device} "
          "--jobs 1 --timeout 300s --out [[${OUT_DIR}/${test}]])\n"
          "set_tests_properties([[${test}]] PROPERTIES LABELS [[${labels}]] SKIP_RETURN_CODE 77)\n")
      endforeach()
    endforeach()
  endforeach()
endif()
file(WRITE ${OUTPUT} "${text}")

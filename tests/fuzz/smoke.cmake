# Ten seconds of searching with a fixed seed: of the planted bugs that need one condition each is
# found, and their healthy twins are left alone. PLUMB: the program; LIBRARY: the planted bugs; WORK:
# a scratch folder.

cmake_policy(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/../must.cmake)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
must(COMMAND ${PLUMB} list planted --json OUTPUT listed)
string(JSON count LENGTH "${listed}" planted)
math(EXPR last "${count} - 1")
set(bugs "")
set(references "")
foreach(i RANGE ${last})
  foreach(field name reference conjuncts)
    string(JSON ${field} GET "${listed}" planted ${i} ${field})
  endforeach()
  if(conjuncts EQUAL 1)
    list(APPEND bugs ${name})
    list(APPEND references --reference ${name}*=${reference})
  endif()
endforeach()

must(COMMAND ${PLUMB} fuzz planted::*_1 planted::*_1_ok --load-library ${LIBRARY} ${references}
             --forward-only --no-minimize --runs 12000 --seed 1 --out found --quiet
     STATUS 1)  # something is found
file(READ ${WORK}/found/results.json results)
string(JSON rows LENGTH "${results}" results)
math(EXPR last "${rows} - 1")
foreach(i RANGE ${last})
  string(JSON ok GET "${results}" results ${i} ok)
  string(JSON op GET "${results}" results ${i} op)
  if(NOT ok)
    list(REMOVE_ITEM bugs ${op})
    if(op MATCHES "_ok$")
      string(JSON message GET "${results}" results ${i} message)
      message(SEND_ERROR "false alarm: ${op}: ${message}")
    endif()
  endif()
endforeach()
if(bugs)
  message(SEND_ERROR "not found: ${bugs}")
endif()

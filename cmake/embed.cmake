# cmake -DINPUT=page.css -DOUTPUT=page_css.cpp -DNAME=kPageCss -P embed.cmake
# writes a C++ source that defines `extern const std::string_view plumb::kPageCss`: the file's bytes,
# as raw string literals of at most 16 kB. Text only: a NUL byte ends what CMake can read.

set(delimiter "_embedded_")
file(READ "${INPUT}" text)
string(FIND "${text}" ")${delimiter}\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${INPUT}: holds the delimiter )${delimiter}\"")
endif()

string(LENGTH "${text}" length)
set(literals "")
set(start 0)
while(start LESS length)
  set(size 16000)
  # Do not cut a UTF-8 character: its later bytes are 80..bf.
  math(EXPR end "${start} + ${size}")
  while(end LESS length)
    string(SUBSTRING "${text}" ${end} 1 next)
    string(HEX "${next}" hex)
    if(NOT hex MATCHES "^[89ab]")
      break()
    endif()
    math(EXPR size "${size} + 1")
    math(EXPR end "${end} + 1")
  endwhile()
  string(SUBSTRING "${text}" ${start} ${size} chunk)
  string(APPEND literals "R\"${delimiter}(${chunk})${delimiter}\"\n")
  set(start ${end})
endwhile()
if(literals STREQUAL "")
  set(literals "\"\"\n")
endif()

file(WRITE "${OUTPUT}" "// Made by cmake/embed.cmake. Do not edit.
#include <string_view>

namespace plumb {
namespace {
constexpr char kBytes[] =
${literals};
}  // namespace

extern const std::string_view ${NAME};
constinit const std::string_view ${NAME}{kBytes, sizeof(kBytes) - 1};
}  // namespace plumb
")

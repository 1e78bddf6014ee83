#include "harness/doing.hpp"

#include <utility>

namespace plumb {
namespace {

using Tell = std::function<void(const std::string&)>;

Tell& in_worker() {
  static Tell tell;
  return tell;
}

Tell& in_main() {
  static Tell show;
  return show;
}

}  // namespace

void tell_doing(const std::string& what) {
  if (in_worker()) in_worker()(what);
}

void tell_doing_by(Tell tell) { in_worker() = std::move(tell); }

void show_doing_by(Tell show) { in_main() = std::move(show); }

void show_doing(const std::string& what) {
  if (in_main()) in_main()(what);
}

}  // namespace plumb

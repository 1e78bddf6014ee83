#include "harness/trace.hpp"

#include <algorithm>
#include <utility>

#include <ATen/record_function.h>

#include "harness/digest.hpp"

namespace plumb {

struct Trace::State {
  std::vector<std::string> path;
  at::CallbackHandle handle{};
};

namespace {
thread_local std::vector<std::string>* active_path = nullptr;

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& fn) {
  if (active_path != nullptr) active_path->emplace_back(fn.name());
  return nullptr;
}
}  // namespace

Trace::Trace() : state_(std::make_unique<State>()) {
  active_path = &state_->path;
  state_->handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(on_start).scopes({at::RecordScope::FUNCTION}));
}

Trace::~Trace() {
  at::removeCallback(state_->handle);
  active_path = nullptr;
}

TracePause::TracePause() : paused_(std::exchange(active_path, nullptr)) {}

TracePause::~TracePause() { active_path = paused_; }

const std::vector<std::string>& Trace::path() const { return state_->path; }

std::vector<std::string> path_so_far() {
  return active_path != nullptr ? *active_path : std::vector<std::string>();
}

void put_on_path(const std::vector<std::string>& names) {
  if (active_path != nullptr) active_path->insert(active_path->end(), names.begin(), names.end());
}

std::string path_hash(const std::vector<std::string>& path) {
  Sha256 hash;
  for (const std::string& name : path) hash.update(name.c_str(), name.size() + 1);
  return hash.hex().substr(0, 8);
}

std::vector<std::string> readable_path(const std::vector<std::string>& path, std::size_t limit) {
  std::vector<std::string> folded;
  for (std::size_t i = 0; i < path.size();) {
    std::size_t next = i;
    while (next < path.size() && path[next] == path[i]) ++next;
    folded.push_back(next - i > 1 ? path[i] + " x" + std::to_string(next - i) : path[i]);
    i = next;
  }
  if (folded.size() > limit) {
    const std::string rest = "… " + std::to_string(folded.size() - limit + 1) + " more";
    folded.resize(limit - 1);
    folded.push_back(rest);
  }
  return folded;
}

bool path_matches(const std::vector<std::string>& path, const std::vector<std::string>& wanted,
                  std::string& why) {
  auto from = path.begin();
  for (const std::string& name : wanted) {
    if (name.starts_with('!')) {
      if (std::find(path.begin(), path.end(), name.substr(1)) == path.end()) continue;
      why = name.substr(1) + " ran, but must not";
      return false;
    }
    from = std::find(from, path.end(), name);
    if (from == path.end()) {
      why = name + " did not run where it was intended";
      return false;
    }
    ++from;
  }
  return true;
}

}  // namespace plumb

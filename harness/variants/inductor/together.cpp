#include "harness/variants/inductor/together.hpp"

#include <algorithm>
#include <map>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include "harness/trace.hpp"
#include "harness/variant.hpp"
#include "harness/variants/inductor/recorded.hpp"

namespace plumb::inductor {
namespace {

/// A value of a call without the number or size that it is.
Json kind_of(const Json& value) {
  const std::string& kind = value.begin().key();
  const Json& what = value.begin().value();
  if (kind == "literal") return what.type_name();
  if (kind != "list") return kind;
  return what.empty() ? Json("empty list") : Json{kind, kind_of(what.front())};
}

std::string shape_of_calls(const Calls& program) {
  Json shape = Json::array();
  for (const Json& input : program.text["inputs"]) shape.push_back(input["dtype"]);
  for (const Json& call : program.text["calls"]) {
    shape.push_back(call["op"]);
    for (const Json& value : call["args"]) shape.push_back(kind_of(value));
    for (const Json& value : call["named"]) shape.push_back(kind_of(value));
  }
  return shape.dump();
}

}  // namespace

std::optional<std::vector<std::string>> repeated_part(const std::vector<std::string>& path,
                                                      std::size_t times) {
  if (path.size() % times != 0) return std::nullopt;
  const auto length = static_cast<std::ptrdiff_t>(path.size() / times);
  for (std::ptrdiff_t i = length; i < static_cast<std::ptrdiff_t>(path.size()); ++i) {
    if (path[static_cast<std::size_t>(i)] != path[static_cast<std::size_t>(i - length)]) {
      return std::nullopt;
    }
  }
  return std::vector<std::string>(path.begin(), path.begin() + length);
}

std::vector<std::vector<std::size_t>> alike(const std::vector<Calls>& programs) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    groups[shape_of_calls(programs[i])].push_back(i);
  }
  std::vector<std::vector<std::size_t>> places;
  for (auto& [shape, group] : groups) places.push_back(std::move(group));
  return places;
}

Together::Together(const std::string& package, std::vector<Member> members)
    : loader_(std::make_shared<torch::inductor::AOTIModelPackageLoader>(
          package, "model", /*run_single_threaded=*/true)),
      members_(std::move(members)) {
  const Trace trace;
  run_all(nullptr, 0);
  const auto part = repeated_part(trace.path(), members_.size());
  if (!part) throw CannotRun("the compiled programs call different operators of torch");
  path_ = *part;
}

std::vector<at::Tensor> Together::run_all(const std::vector<at::Tensor>* own, std::size_t member) {
  std::vector<at::Tensor> all;
  {
    const TracePause pause;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool is_own = own != nullptr && i == member;
      for (at::Tensor& tensor :
           is_own ? plain(*own) : plain(tensors_of(private_copy(members_[i].inputs)))) {
        all.push_back(std::move(tensor));
      }
    }
  }
  return loader_->run(all);
}

std::vector<at::Tensor> Together::run(std::size_t member, const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> outputs;
  {
    const TracePause pause;
    outputs = run_all(&inputs, member);
  }
  put_on_path(path_);
  std::ptrdiff_t first = 0;
  for (std::size_t i = 0; i < member; ++i) {
    first += static_cast<std::ptrdiff_t>(members_[i].outputs);
  }
  const auto begin = outputs.begin() + first;
  return {begin, begin + static_cast<std::ptrdiff_t>(members_[member].outputs)};
}

}  // namespace plumb::inductor

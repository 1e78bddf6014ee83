// Compiled by AOTInductor for any size: one package serves the cases of an operator that differ in
// nothing else.

#include <map>

#include <ATen/ATen.h>

#include "harness/trace.hpp"
#include "harness/variant.hpp"
#include "harness/variants/inductor/given_package.hpp"
#include "harness/variants/inductor/package.hpp"
#include "harness/variants/inductor/recorded.hpp"

namespace plumb {
namespace {

using inductor::Calls;
using inductor::Recorded;

Inputs dense(const Inputs& inputs) {
  const TracePause pause;
  return inputs.map(
      [](const std::string&, const at::Tensor& tensor) { return tensor.contiguous(); });
}

/// Puts other sizes in the place of a program's own: equal ones stay equal, 0 and 1 stay, as the
/// compiler makes them special.
class AnySizes {
 public:
  void apply(Json& input) {
    input["dynamic"] = Json::array();
    for (std::size_t d = 0; d < input["shape"].size(); ++d) {
      const auto size = input["shape"][d].get<std::int64_t>();
      if (size < 2) continue;
      input["dynamic"].push_back(d);
      const auto [place, is_new] = stands_for_.try_emplace(size, kFirst + kStep * seen_);
      seen_ += is_new ? 1 : 0;
      input["shape"][d] = place->second;
    }
    std::int64_t stride = 1;
    for (std::size_t d = input["shape"].size(); d-- > 0;) {
      input["strides"][d] = stride;
      stride *= std::max<std::int64_t>(1, input["shape"][d].get<std::int64_t>());
    }
  }

 private:
  static constexpr std::int64_t kFirst = 24;
  static constexpr std::int64_t kStep = 16;
  std::map<std::int64_t, std::int64_t> stands_for_;
  std::int64_t seen_ = 0;
};

Recorded recorded_for_any_size(const Program& program, const Inputs& inputs) {
  Recorded record = inductor::recorded(program, dense(inputs));
  AnySizes any;
  for (Json& input : record.calls.text["inputs"]) any.apply(input);
  return record;
}

Prepared prepare(const Program& program, const Inputs& example, c10::Device) {
  const TracePause pause;
  const Recorded record = recorded_for_any_size(program, example);
  inductor::check_inputs();  // the compiler may have fixed a size after all
  const inductor::Run run = inductor::loaded(inductor::package_of(record.calls).string());
  return [graph = record.graph, run](const Inputs& inputs) -> Execution {
    try {
      return graph.named(inductor::checked([&] { return run(dense(inputs)); }));
    } catch (const inductor::OtherInputs& why) {
      throw CannotRun(std::string("the compiler fixed a size: ") + why.what());
    }
  };
}

/// Programs that differ in sizes alone are one.
void prepare_many(const std::vector<Planned>& programs, c10::Device) {
  std::map<std::string, Calls> different;
  for (const Planned& planned : programs) {
    try {
      Recorded record = recorded_for_any_size(planned.program, planned.inputs);
      different.try_emplace(inductor::key_of({record.calls}), std::move(record.calls));
    } catch (const std::exception&) {  // its own run says why
    }
  }
  std::vector<Calls> calls;
  std::vector<std::vector<std::size_t>> each;
  for (auto& [key, program] : different) {
    each.push_back({calls.size()});
    calls.push_back(std::move(program));
  }
  inductor::packages_of(calls, each);  // into the cache
}

const Register<Variant> registered{{
    .name = "inductor-dynamic",
    .about = "as inductor, with every size above 1 open: one compilation serves all sizes",
    .unavailable = [](const Program& program, c10::Device device) -> std::optional<std::string> {
      if (!program.package.empty()) return "a package is compiled already";
      return variant_or_usage_error("inductor").unavailable(program, device);
    },
    .execute = [](const Program& program, const Inputs& inputs,
                  c10::Device device) { return prepare(program, inputs, device)(inputs); },
    .prepare = prepare,
    .prepare_many = prepare_many,
}};

}  // namespace
}  // namespace plumb

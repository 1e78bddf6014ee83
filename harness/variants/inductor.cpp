// Compiled ahead of time by AOTInductor to C++ for this machine, as torch.compile does on the way.

#include <map>
#include <set>

#include "harness/trace.hpp"
#include "harness/variant.hpp"
#include "harness/variant_sketch.hpp"
#include "harness/variants/inductor/given_package.hpp"
#include "harness/variants/inductor/package.hpp"
#include "harness/variants/inductor/recorded.hpp"
#include "harness/variants/inductor/together.hpp"

namespace plumb {
namespace {

using inductor::Calls;
using inductor::Recorded;
using inductor::Run;
using inductor::Together;

/// What prepare_many made ready in this process, by key of the calls.
struct Ready {
  std::shared_ptr<Together> together;  // null where the compiler refused
  std::size_t member;
  std::string why_not;
};
std::map<std::string, Ready>& ready() {
  static std::map<std::string, Ready> all;
  return all;
}

/// What a program raises among others may be due to them: alone it shows what it does itself.
Run among_others(const Ready& place, const Calls& calls) {
  return [place, calls](const Inputs& inputs) {
    try {
      return place.together->run(place.member, tensors_of(inputs));
    } catch (const std::exception&) {
      const Run alone = [&] {
        const TracePause pause;
        return inductor::loaded(inductor::package_of(calls).string());
      }();
      return alone(inputs);
    }
  };
}

Prepared prepare(const Program& program, const Inputs& example, c10::Device) {
  if (!program.package.empty()) return inductor::given_package(program);
  const TracePause pause;
  const Recorded record = inductor::recorded(program, example);
  // The key is a digest of all constants: not for nothing.
  const auto place =
      ready().empty() ? ready().end() : ready().find(inductor::key_of({record.calls}));
  if (place != ready().end() && !place->second.together) throw CannotRun(place->second.why_not);
  const Run run = place != ready().end()
                      ? among_others(place->second, record.calls)
                      : inductor::loaded(inductor::package_of(record.calls).string());
  return [graph = record.graph, run](const Inputs& inputs) -> Execution {
    return graph.named(run(inputs));
  };
}

/// Programs to be compiled together, each once.
struct Plan {
  std::vector<Calls> calls;
  std::vector<Together::Member> members;

  void add(const Planned& planned) {
    Recorded record = inductor::recorded(planned.program, planned.inputs);
    const std::string key = inductor::key_of({record.calls});
    if (!keys.insert(key).second || ready().contains(key)) return;
    calls.push_back(std::move(record.calls));
    members.push_back({planned.inputs, record.graph.outputs.size()});
  }

 private:
  std::set<std::string> keys;
};

/// False where they cannot be run together.
bool make_ready(const Plan& plan, const inductor::Package& package) {
  std::vector<Together::Member> members;
  for (const std::size_t place : package.programs) members.push_back(plan.members[place]);
  if (package.file.empty() && members.size() > 1) return false;  // the compiler died
  std::shared_ptr<Together> together;
  try {
    if (!package.file.empty()) {
      together = std::make_shared<Together>(package.file.string(), std::move(members));
    }
  } catch (const std::exception&) {
    return false;
  }
  for (std::size_t i = 0; i < package.programs.size(); ++i) {
    ready()[inductor::key_of({plan.calls[package.programs[i]]})] = {
        together, i, inductor::refusal(package.why_not)};
  }
  return true;
}

void prepare_many(const std::vector<Planned>& programs, c10::Device) {
  ready().clear();  // the packages of the last ones take memory
  Plan plan;
  for (const Planned& planned : programs) {
    try {
      plan.add(planned);
    } catch (const std::exception&) {  // its own run says why
    }
  }
  std::vector<std::vector<std::size_t>> alone;
  for (const inductor::Package& package :
       inductor::packages_of(plan.calls, inductor::alike(plan.calls))) {
    if (make_ready(plan, package)) continue;
    for (const std::size_t place : package.programs) alone.push_back({place});
  }
  inductor::packages_of(plan.calls, alone);  // into the cache, where `prepare` finds them
}

const Register<Variant> registered{{
    .name = "inductor",
    .about =
        "compiled ahead of time by AOTInductor, forward only; compiling takes 7 s and more, once",
    .unavailable = [](const Program& program, c10::Device device) -> std::optional<std::string> {
      if (auto why = device_unavailable(device)) return why;
      if (!device.is_cpu()) return "inductor packages are compiled for the CPU alone here";
      if (!program.grad.empty()) return "AOTInductor compiles no backward pass";
      return program.package.empty() ? inductor::why_no_compiler() : std::nullopt;
    },
    .execute = [](const Program& program, const Inputs& inputs,
                  c10::Device device) { return prepare(program, inputs, device)(inputs); },
    .prepare = prepare,
    .prepare_many = prepare_many,
}};

const Register<VariantSketch> sketch{{
    .name = "inductor",
    .compiled = "torch.compile(compute, fullgraph=True, dynamic=False)",
}};

}  // namespace
}  // namespace plumb

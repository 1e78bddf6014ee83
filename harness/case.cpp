#include "harness/case.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <ATen/ATen.h>

#include "harness/arguments.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/relation.hpp"
#include "harness/tensor_spec.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// One call of a `steps` program. Literal tensors in it were moved to the inputs.
struct Step {
  Program program;
  Inputs fixed;                                             // arguments that are no references
  std::vector<std::pair<std::string, std::string>> linked;  // argument → name of a value
  std::string out;
};

using Values = std::map<std::string, at::Tensor, std::less<>>;

class CaseReader {
 public:
  CaseReader(const Json& json, std::string file) : json_(json), file_(std::move(file)) {
    check_object(
        json, file_,
        {"schema", "name", "about", "tags", "op", "args", "steps", "inputs", "model", "grad",
         "cotangent", "variant", "dtype", "device", "oracle", "seed", "relations", "expect"});
    if (string_field(json, "schema", file_) != "plumb.case/1") {
      throw InputError(file_ + ".schema: expected \"plumb.case/1\"");
    }
  }

  Case read() {
    Case result;
    result.file = file_;
    result.name = json_.contains("name") ? string_field(json_, "name", file_)
                                         : fs::path(file_).stem().string();
    if (json_.contains("about")) result.about = string_field(json_, "about", file_);
    result.tags = string_list(json_, "tags", file_);
    settings(result);
    subject(result);
    gradients(result.subject);
    if (json_.contains("expect")) {
      result.expect = parse_expectation(json_["expect"], file_ + ": expect");
    }
    result.op = result.subject.program.name;
    Json identity = json_;
    identity.erase("expect");
    result.identity = identity.dump();
    return result;
  }

 private:
  void settings(Case& result) {
    Settings& s = result.settings;
    if (json_.contains("variant")) s.variant = string_field(json_, "variant", file_);
    if (json_.contains("oracle")) s.oracle = string_field(json_, "oracle", file_);
    if (json_.contains("seed")) {
      s.seed = static_cast<std::uint64_t>(integer(json_["seed"], file_ + ": seed"));
    }
    s.relations = string_list(json_, "relations", file_);
    try {
      variant_or_usage_error(s.variant);
      for (const std::string& relation : s.relations) relation_or_usage_error(relation);
      if (json_.contains("device")) {
        s.device = device_or_usage_error(string_field(json_, "device", file_));
      }
      if (json_.contains("dtype")) {
        dtype_ = dtype_or_usage_error(string_field(json_, "dtype", file_));
      }
    } catch (const UsageError& error) {
      throw InputError(file_ + ": " + error.what());
    }
    seed_ = s.seed;
  }

  TensorSource source(std::uint64_t seed) const {
    return {fs::path(file_).parent_path().string(), seed, dtype_};
  }

  at::Tensor tensor(const Json& spec, const std::string& name, std::uint64_t seed,
                    const std::string& where) {
    generated_ = generated_ || is_generated(spec);
    return tensor_from_json(spec, name, source(seed), where);
  }

  void subject(Case& result) {
    const int kinds = static_cast<int>(json_.contains("op")) +
                      static_cast<int>(json_.contains("steps")) +
                      static_cast<int>(json_.contains("model"));
    if (kinds != 1) {
      throw InputError(file_ + ": expected exactly one of 'op', 'steps' and 'model'");
    }
    if (json_.contains("model")) {
      throw InputError(file_ +
                       ".model: exported models are not supported yet; "
                       "expected 'op' or 'steps'");
    }
    Subject& subject = result.subject;
    subject.dtype = dtype_;
    if (json_.contains("op")) {
      operator_call(subject);
    } else {
      steps(subject);
    }
    if (generated_) {
      subject.regenerate = [json = json_, file = file_](std::uint64_t seed) {
        CaseReader reader(json, file);
        Case again;
        reader.settings(again);
        reader.seed_ = seed;
        reader.subject(again);
        return again.subject.inputs;
      };
    }
  }

  void operator_call(Subject& subject) {
    const std::string op = string_field(json_, "op", file_);
    const Json args = json_.value("args", Json::object());
    if (!args.is_object()) throw InputError(file_ + ".args: expected an object of arguments");
    const TensorReader read = [&](const Json& json,
                                  const std::string& name) -> std::optional<at::Tensor> {
      if (!json.is_object()) return std::nullopt;
      return tensor(json, name, seed_, file_ + ": args." + name);
    };
    const auto handle = resolve_operator(op, args, read, file_);
    subject.inputs = arguments_from_json(handle, args, read, file_ + ": args");
    subject.program = operator_program(handle);
  }

  void steps(Subject& subject) {
    const Json inputs = json_.value("inputs", Json::object());
    if (!inputs.is_object()) throw InputError(file_ + ".inputs: expected an object of tensors");
    for (const auto& [name, spec] : inputs.items()) {
      subject.inputs.set(name, tensor(spec, name, seed_, file_ + ": inputs." + name));
    }
    const Json& list = json_["steps"];
    if (!list.is_array() || list.empty()) {
      throw InputError(file_ + ".steps: expected a list of at least one step");
    }
    std::vector<Step> steps;
    std::vector<std::string> known;
    for (const auto& [name, spec] : inputs.items()) known.push_back(name);
    std::string title;
    for (std::size_t i = 0; i < list.size(); ++i) {
      steps.push_back(step(list[i], i, known, subject.inputs));
      title += (title.empty() ? "" : " → ") + steps.back().program.name;
    }
    if (steps.size() == 1) title = "steps: " + title;  // its inputs are no arguments: not a call
    if (title.size() > 90) {
      title = std::to_string(steps.size()) + " steps from " + steps.front().program.name + " to " +
              steps.back().program.name;
    }
    subject.program = program_of(std::move(steps), title);
  }

  Step step(const Json& json, std::size_t index, std::vector<std::string>& known, Inputs& inputs) {
    const std::string where = file_ + ": steps[" + std::to_string(index) + "]";
    check_object(json, where, {"op", "args", "out"});
    const Json args = json.value("args", Json::object());
    if (!args.is_object()) throw InputError(where + ".args: expected an object of arguments");
    std::vector<std::pair<std::string, std::string>> linked;
    // References become stand-ins here and the real tensors when the step runs.
    const TensorReader read = [&](const Json& spec,
                                  const std::string& name) -> std::optional<at::Tensor> {
      if (spec.is_object()) {
        const std::string key = "steps[" + std::to_string(index) + "]." + name;
        inputs.set(key, tensor(spec, key, seed_, where + ".args." + name));
        linked.emplace_back(name, key);
        return at::Tensor();
      }
      if (!spec.is_string() || !spec.get<std::string>().starts_with("$")) return std::nullopt;
      const std::string key = spec.get<std::string>().substr(1);
      // "$name.1" is the second result of a step.
      const std::string step_name = key.substr(0, key.find('.'));
      if (std::find(known.begin(), known.end(), key) == known.end() &&
          std::find(known.begin(), known.end(), step_name) == known.end()) {
        throw InputError(where + ".args." + name + ": there is no input or earlier result '" + key +
                         "'" + suggestion(key, known));
      }
      linked.emplace_back(name, key);
      return at::Tensor();
    };
    const std::string op = string_field(json, "op", where);
    const auto handle = resolve_operator(op, args, read, where);
    Inputs fixed = arguments_from_json(handle, args, read, where + ".args");
    std::string out =
        json.contains("out") ? string_field(json, "out", where) : "step" + std::to_string(index);
    known.push_back(out);
    return {operator_program(handle), std::move(fixed), std::move(linked), std::move(out)};
  }

  static c10::IValue linked_value(const Step& step, const std::string& argument,
                                  const Inputs& inputs, const Values& values) {
    std::vector<at::Tensor> tensors;
    for (const auto& [name, key] : step.linked) {
      if (name != argument) continue;
      const auto found = values.find(key);
      tensors.push_back(found != values.end() ? found->second : inputs[key]);
    }
    const c10::IValue* fixed = step.fixed.find(argument);
    if (fixed != nullptr && fixed->isTensorList()) return tensors;
    if (fixed != nullptr && fixed->isList()) {
      c10::List<std::optional<at::Tensor>> list;
      std::size_t next = 0;
      for (const c10::IValue& item : fixed->toList()) {
        if (item.isNone()) {
          list.push_back(std::nullopt);
        } else {
          list.push_back(tensors.at(next++));
        }
      }
      return list;
    }
    return tensors.at(0);
  }

  static Program program_of(std::vector<Step> steps, const std::string& title) {
    Traits traits{.promise = Promise::composite, .why = "a program of several steps"};
    if (steps.size() == 1) traits = steps.front().program.traits;
    for (const Step& step : steps) traits.random |= step.program.traits.random;
    return {.name = title,
            .forward =
                [steps = std::move(steps)](const Inputs& inputs, Widening widening) {
                  Values values;
                  Outputs outputs;
                  for (const Step& step : steps) {
                    Inputs args = step.fixed;
                    for (const auto& [name, key] : step.linked) {
                      args.set(name, linked_value(step, name, inputs, values));
                    }
                    outputs = step.program.forward(args, widening);
                    for (std::size_t i = 0; i < outputs.size(); ++i) {
                      values.insert_or_assign(
                          i == 0 ? step.out : step.out + "." + std::to_string(i),
                          outputs[i].tensor);
                    }
                  }
                  return outputs;
                },
            .traits = std::move(traits),
            .grad = {},
            .cotangent = {}};
  }

  void gradients(Subject& subject) {
    Program& program = subject.program;
    program.grad = string_list(json_, "grad", file_);
    for (const std::string& name : program.grad) {
      const c10::IValue* value = subject.inputs.find(name);
      if (value == nullptr || !value->isTensor()) {
        throw InputError(file_ + ".grad: there is no tensor argument '" + name + "'");
      }
      const at::Tensor& tensor = value->toTensor();
      if (!tensor.is_floating_point() && !tensor.is_complex()) {
        throw InputError(file_ + ".grad: expected a floating argument; '" + name + "' is " +
                         dtype_name(tensor.scalar_type()));
      }
    }
    if (!json_.contains("cotangent")) return;
    if (program.grad.empty()) {
      throw InputError(file_ + ".cotangent: has no meaning without 'grad'");
    }
    program.cotangent = tensor(json_["cotangent"], "cotangent", seed_, file_ + ": cotangent");
  }

  const Json json_;
  const std::string file_;
  std::optional<c10::ScalarType> dtype_;
  std::uint64_t seed_ = 0;
  bool generated_ = false;
};

}  // namespace

Case case_from_json(const Json& json, const std::string& file) {
  return CaseReader(json, file).read();
}

Case load_case(const std::string& file) { return case_from_json(read_json_file(file), file); }

std::vector<std::string> case_files(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError(path + ": there is no such file or folder");
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() != ".json" || !entry.is_regular_file()) continue;
      files.push_back(entry.path().string());
    }
  } catch (const fs::filesystem_error& failure) {
    throw InputError(path + ": a folder in it cannot be read: " + failure.code().message());
  }
  if (files.empty()) throw InputError(path + ": holds no .json case");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace plumb

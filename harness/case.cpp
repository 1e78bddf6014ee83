#include "harness/case.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <ATen/ATen.h>

#include "harness/arguments.hpp"
#include "harness/call.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/model.hpp"
#include "harness/oracle.hpp"
#include "harness/overloads.hpp"
#include "harness/relation.hpp"
#include "harness/steps.hpp"
#include "harness/tensor_spec.hpp"
#include "harness/text.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class CaseReader {
 public:
  CaseReader(const Json& json, std::string file) : json_(json), file_(std::move(file)) {
    check_object(json, file_,
                 {"schema", "name", "about", "tags", "op", "args", "steps", "inputs", "model",
                  "reference", "grad", "cotangent", "variant", "dtype", "device", "oracle", "seed",
                  "relations", "expect"});
    if (string_field(json, "schema", file_) != "plumb.case/1") {
      throw InputError(file_ + ".schema: expected \"plumb.case/1\"");
    }
  }

  Case read(const KnownCase& known) {
    Case result;
    result.file = file_;
    result.name = json_.contains("name") ? string_field(json_, "name", file_)
                                         : fs::path(file_).stem().string();
    check_printable(result.name);
    if (json_.contains("about")) result.about = string_field(json_, "about", file_);
    result.tags = string_list(json_, "tags", file_);
    settings(result);
    if (json_.contains("expect")) {
      result.expect = parse_expectation(json_["expect"], file_ + ": expect");
    }
    result.op = resolve_operators();
    result.subject.program.name = result.op;
    result.subject.dtype = dtype_;
    Json identity = json_;
    identity.erase("expect");
    result.identity = identity.dump();
    for (const auto& handle : handles_)
      result.operators.push_back(full_name(handle.operator_name()));
    if (known) known(result);
    references_ = result.settings.references;
    subject(result.subject);
    gradients(result.subject);
    return result;
  }

 private:
  /// It is printed on terminals and stands in ids.
  void check_printable(const std::string& name) const {
    const bool control = std::any_of(name.begin(), name.end(),
                                     [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
    if (!control && !name.empty() && name.size() <= 200) return;
    throw InputError(file_ + ": name: expected 1 to 200 bytes without control characters, not " +
                     quote_name(name));
  }

  void settings(Case& result) {
    Settings& s = result.settings;
    if (json_.contains("model") && is_package()) s.variant = "inductor";  // what can run it
    if (json_.contains("variant")) s.variant = string_field(json_, "variant", file_);
    if (json_.contains("oracle")) s.oracle = string_field(json_, "oracle", file_);
    if (json_.contains("seed")) {
      s.seed = natural(json_["seed"], file_ + ": seed");
    }
    check_name<Variant>("variant", s.variant);
    if (s.oracle != "auto") check_name<Oracle>("oracle", s.oracle, "auto");
    for (const std::string& word : string_list(json_, "relations", file_)) {
      if (!names_several_relations(word)) check_name<Relation>("relations", word);
      std::ranges::move(relations_from(word), std::back_inserter(s.relations));
    }
    if (json_.contains("device")) s.device = device(string_field(json_, "device", file_));
    if (json_.contains("dtype")) dtype_ = dtype(string_field(json_, "dtype", file_));
    seed_ = s.seed;
  }

  template <typename T>
  void check_name(const std::string& key, const std::string& name,
                  const std::string& besides = "") const {
    std::vector<std::string> names = Registry<T>::instance().names();
    if (Registry<T>::instance().find(name) != nullptr) return;
    if (!besides.empty()) names.insert(names.begin(), besides);
    const std::string hint = suggestion(name, names);
    const bool lists_all = hint.starts_with("; expected");
    throw InputError(file_ + ": " + key + ": there is no " + quote_name(name) + hint +
                     (lists_all ? "" : "; there are " + joined(names, ", ")));
  }

  c10::Device device(const std::string& name) const {
    try {
      const c10::Device device = device_or_usage_error(name);
      if (device.is_cpu() || device.is_cuda()) return device;
    } catch (const UsageError&) {  // the same sentence
    }
    throw InputError(file_ + ": device: expected cpu, cuda or cuda:N, not " + quote_name(name));
  }

  c10::ScalarType dtype(const std::string& name) const {
    const auto dtype = dtype_from(name);
    if (dtype && c10::isFloatingType(*dtype)) return *dtype;
    const std::vector<std::string> names = {"float64",         "float32",        "float16",
                                            "bfloat16",        "float8_e4m3fn",  "float8_e5m2",
                                            "float8_e4m3fnuz", "float8_e5m2fnuz"};
    throw InputError(file_ + ": dtype: expected a floating type, not " + quote_name(name) +
                     suggestion(name, names) + "; there are " + joined(names, ", "));
  }

  TensorSource source(std::uint64_t seed) const {
    return {fs::path(file_).parent_path().string(), seed, dtype_};
  }

  at::Tensor tensor(const Json& spec, const std::string& name, std::uint64_t seed,
                    const std::string& where) {
    generated_ = generated_ || is_generated(spec);
    return tensor_from_json(spec, name, source(seed), where);
  }

  /// Finds every operator by the names and kinds of its arguments alone; returns what a person
  /// calls the program.
  std::string resolve_operators() {
    const int kinds = static_cast<int>(json_.contains("op")) +
                      static_cast<int>(json_.contains("steps")) +
                      static_cast<int>(json_.contains("model"));
    if (kinds != 1) {
      throw InputError(file_ + ": expected exactly one of 'op', 'steps' and 'model'");
    }
    if (json_.contains("reference") && !json_.contains("model")) {
      throw InputError(
          file_ + ".reference: has no meaning without 'model'; for operators there is --reference");
    }
    if (json_.contains("model")) return "model " + string_field(json_, "model", file_);
    if (json_.contains("op")) return resolve(json_, file_);
    const Json& list = json_["steps"];
    if (!list.is_array() || list.empty()) {
      throw InputError(file_ + ".steps: expected a list of at least one step");
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      check_object(list[i], step_name(i), {"op", "args", "out"});
      names.push_back(resolve(list[i], step_name(i)));
    }
    // One step alone is no call of its operator: its inputs are no arguments.
    std::string title = (names.size() == 1 ? "steps: " : "") + joined(names, " → ");
    if (title.size() <= 90) return title;
    return std::to_string(list.size()) + " steps from " + names.front() + " to " + names.back();
  }

  /// Of one call, which has `op` and `args`; its full name.
  std::string resolve(const Json& call, const std::string& where) {
    const std::string op = string_field(call, "op", where);
    const Json args = call.value("args", Json::object());
    if (!args.is_object()) throw InputError(where + ".args: expected an object of arguments");
    handles_.push_back(resolve_operator(op, args, where));
    return full_name(handles_.back().operator_name());
  }

  std::string step_name(std::size_t index) const {
    return file_ + ": steps[" + std::to_string(index) + "]";
  }

  void subject(Subject& subject) {
    if (json_.contains("op")) {
      operator_call(subject);
    } else {
      inputs(subject);
      json_.contains("model") ? model(subject) : steps(subject);
    }
    if (generated_) {
      subject.regenerate = [json = json_, file = file_](std::uint64_t seed) {
        CaseReader reader(json, file);
        Case again;
        reader.settings(again);
        reader.resolve_operators();
        reader.seed_ = seed;
        reader.subject(again.subject);
        return again.subject.inputs;
      };
    }
  }

  void operator_call(Subject& subject) {
    const Json args = json_.value("args", Json::object());
    generated_ = has_generated(args);
    subject.inputs = call_inputs(handles_.front(), args, source(seed_), file_ + ": args");
    subject.program = operator_program(handles_.front());
    subject.reference = reference_of(handles_.front(), references_);
    if (!subject.reference) return;
    subject.program.traits = traits_by(*subject.reference, subject.program.traits);
  }

  void inputs(Subject& subject) {
    const Json inputs = json_.value("inputs", Json::object());
    if (!inputs.is_object()) throw InputError(file_ + ".inputs: expected an object of tensors");
    for (const auto& [name, spec] : inputs.items()) {
      subject.inputs.set(name, tensor(spec, name, seed_, file_ + ": inputs." + name));
    }
  }

  bool is_package() const { return string_field(json_, "model", file_).ends_with(".pt2"); }

  ModelSource model_source(const std::string& key) const {
    const std::string name = string_field(json_, key, file_);
    return {(fs::path(file_).parent_path() / name).string(), file_ + ": " + key, "model " + name};
  }

  void model(Subject& subject) {
    if (json_.contains("reference")) {
      subject.reference = ReferenceProgram{
          .program = torchscript_program(model_source("reference"), dtype_, subject.inputs)};
    }
    const ModelSource source = model_source("model");
    subject.program = is_package() ? package_program(source)
                                   : torchscript_program(source, dtype_, subject.inputs);
  }

  void steps(Subject& subject) {
    KnownResults known;
    for (const auto& [name, value] : subject.inputs) known[name] = 1;
    std::vector<Step> steps;
    const std::string title = subject.program.name;
    for (std::size_t i = 0; i < json_["steps"].size(); ++i) {
      steps.push_back(step(json_["steps"][i], i, known, subject.inputs));
    }
    subject.reference = reference_of_steps(steps);
    subject.program = program_of_steps(std::move(steps), title);
  }

  /// The same steps with references in the place of those that have one.
  std::optional<ReferenceProgram> reference_of_steps(std::vector<Step> steps) const {
    std::vector<std::string> names;
    bool any = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto reference = reference_of(handles_[i], references_);
      names.push_back(reference ? reference->program.name : full_name(handles_[i].operator_name()));
      if (!reference) continue;
      any = true;
      steps[i].program = reference->program;
      steps[i].fixed = reference->inputs(steps[i].fixed);
      for (auto& [argument, value] : steps[i].linked) argument = reference->counterpart(argument);
      std::erase_if(steps[i].linked, [](const auto& link) { return link.first.empty(); });
    }
    if (!any) return std::nullopt;
    return ReferenceProgram{.program = program_of_steps(std::move(steps), joined(names, " → "))};
  }

  Step step(const Json& json, std::size_t index, KnownResults& known, Inputs& inputs) {
    const std::string where = step_name(index);
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
      check_reference(key, known, where + ".args." + name);
      linked.emplace_back(name, key);
      return at::Tensor();
    };
    const auto& handle = handles_[index];
    const Json args = json.value("args", Json::object());
    Inputs fixed = arguments_from_json(handle, args, read, where + ".args");
    std::string out =
        json.contains("out") ? string_field(json, "out", where) : "step" + std::to_string(index);
    round_scalars(handle.schema(), dtype_, fixed);
    known[out] = result_count(handle.schema());
    return {operator_program(handle), std::move(fixed), std::move(linked), std::move(out), where};
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
    if (subject.reference) gradients(program, *subject.reference);
    if (!json_.contains("cotangent")) return;
    if (program.grad.empty()) {
      throw InputError(file_ + ".cotangent: has no meaning without 'grad'");
    }
    program.cotangent = tensor(json_["cotangent"], "cotangent", seed_, file_ + ": cotangent");
    if (subject.reference) subject.reference->program.cotangent = program.cotangent;
  }

  void gradients(const Program& program, ReferenceProgram& reference) const {
    for (const std::string& name : program.grad) {
      reference.program.grad.push_back(reference.counterpart(name));
      if (!reference.program.grad.back().empty()) continue;
      throw InputError(file_ + ".grad: " + reference.program.name + " has no argument for '" +
                       name + "', so it knows no gradient of it");
    }
  }

  const Json json_;
  const std::string file_;
  std::optional<c10::ScalarType> dtype_;
  std::uint64_t seed_ = 0;
  bool generated_ = false;
  std::vector<c10::OperatorHandle> handles_;  // of `op`, or of each step
  std::vector<ReferenceRule> references_;
};

}  // namespace

Case case_from_json(const Json& json, const std::string& file, const KnownCase& known) {
  return CaseReader(json, file).read(known);
}

Case load_case(const std::string& file, const KnownCase& known) {
  return case_from_json(read_json_file(file), file, known);
}

namespace {

/// What lies beside the case in the folder of a finding (docs/formats.md) is no case to judge.
bool belongs_to_finding(const fs::path& file) {
  if (file.filename() != "finding.json" && file.filename() != "original.json") return false;
  return fs::exists(file.parent_path() / "case.json");
}

}  // namespace

std::vector<std::string> case_files(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError(path + ": there is no such file or folder");
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  fs::recursive_directory_iterator entry(path, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().extension() != ".json" || entry->is_directory(ignored)) continue;
    if (belongs_to_finding(entry->path())) continue;
    files.push_back(entry->path().string());
  }
  if (error) throw InputError(path + ": cannot be read; expected a folder of .json cases");
  if (files.empty()) throw InputError(path + ": holds no .json case");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace plumb

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge.hpp"
#include "harness/program.hpp"
#include "harness/registry.hpp"
#include "harness/variant.hpp"

namespace plumb {

/// A question that was answered once, for a relation to ask again in another way.
struct Asked {
  const Variant& variant;
  const Program& program;
  const Inputs& inputs;
  c10::Device device;
  const Outputs& outputs;  // the answer

  /// The program, or another, in the same variant. The inputs must be copies: it may write to them.
  Outputs run(const Inputs& owned) const { return run(program, owned); }
  Outputs run(const Program& other, const Inputs& owned) const {
    return execute_on(device, variant, other, owned).outputs;
  }

  /// "aten::add" of "aten::add.Tensor".
  std::string base() const { return program.name.substr(0, program.name.find('.')); }
};

/// How a relation asks again, for a program that needs torch alone. Expressions are Python's, of
/// methods and operators that C++ has as well; {self} is the tensor of that argument, {tensors[1]}
/// one in a list, {first} the first answer, {0} what run 0 gave.
struct Sketch {
  using Run = std::map<std::string, std::string>;  // by argument, where it gets another tensor

  std::vector<Run> runs = {{}};
  std::string answer = "{0}";
  int threads = 0;                        // of the runs, where they are not the first's
  int tries = 1;                          // where one run need not show it
  std::string op = {};                    // an operator that writes the answer, instead of runs
  std::vector<std::string> buffers = {};  // for it to write to: what each is full of
};

/// An expression for every tensor, those in lists too; {} in it is the tensor.
Sketch::Run for_each_tensor(const Inputs& inputs,
                            const std::function<std::string(const at::Tensor&)>& expression);

/// A metamorphic check: the same question asked another way must get the same answer. Where an
/// oracle answered, the second answer must keep its bound as the first did; else the two may differ
/// by twice the bound, as each side may err by one.
struct Relation {
  std::string name;
  std::string about;
  /// The second answer, output by output; an undefined tensor claims nothing. Empty where the
  /// relation has no meaning for these inputs. What torch raises here counts as no meaning.
  std::function<std::optional<Outputs>(const Asked&)> again;
  /// The same for an element of an output, where `again` has an answer.
  std::function<Sketch(const Asked&, std::size_t output, const std::vector<std::int64_t>& index)>
      sketch = {};
  bool same_bits = false;  // any difference is `nondeterministic`
  bool is_law = false;     // of mathematics, which knows no sign of zero
  bool usual = true;       // cheap: a sweep checks it unless told otherwise
};

/// How a relation is broken.
struct Break {
  Verdict verdict = Verdict::relation_broken;
  std::string where;                     // "output 0, layout"
  std::string message;                   // the relation in words, and the two answers
  std::vector<std::int64_t> index = {};  // the element that differs, where one shows it
  bool is_near_miss = false;             // of the second answer
};

/// Asks again and compares; empty where the relation holds or has no meaning. `judge_again` judges
/// the second answer of one output where its bits differ from the first's. A first answer that is
/// off by as much, a near miss that was let off, is no better than the second.
std::optional<Break> break_of(
    const Relation& relation, const Asked& asked,
    const std::function<Judgement(std::size_t output, const Output& again)>& judge_again);

/// Throws UsageError with the nearest name.
const Relation& relation_or_usage_error(const std::string& name);

/// Whether a word of `--relations` is all, usual or none.
bool names_several_relations(const std::string& word);

/// The relations that a word of `--relations` stands for: a name, or all, usual, none. UsageError
/// otherwise.
std::vector<std::string> relations_from(const std::string& word);

}  // namespace plumb

#include "harness/question.hpp"

#include "harness/errors.hpp"
#include "harness/raised.hpp"
#include "harness/registry.hpp"

namespace plumb {

Question::Question(const Subject& subject, std::uint64_t seed)
    : program_(subject.reference ? subject.reference->program : subject.program),
      inputs_(subject.reference ? subject.reference->inputs(subject.inputs) : subject.inputs),
      undecidable_(subject.program.traits.undecidable),
      seed_(seed) {}

Truths Question::answer(const std::string& oracle, bool judges_float64, std::string& why_not) {
  const auto choice = choose_oracle(oracle, program_, inputs_, judges_float64);
  why_not = undecidable_.empty() ? choice.why_not : undecidable_;
  if (choice.oracle == nullptr || !undecidable_.empty()) return {};
  oracle_ = choice.oracle;
  was_chosen_ = oracle == "auto";
  try {
    truths_ = oracle_->evaluate(program_, inputs_);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) throw;
    why_not = "the " + oracle_->name + " oracle raised: " + message_of(error);
  }
  return truths_;
}

Conditioning* Question::conditioning() {
  if (conditioning_ || unprobed_) return conditioning_ ? &*conditioning_ : nullptr;
  const Oracle* probing = oracle_;
  try {
    if (probing == nullptr || truths_.empty()) {
      probing = Registry<Oracle>::instance().find("fp64");
      truths_ = probing->evaluate(program_, inputs_);
    }
    conditioning_.emplace(*probing, program_, inputs_, truths_, seed_);
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) throw;
    unprobed_ = true;  // the program does not run in double: the cheap bound decides
  }
  return conditioning_ ? &*conditioning_ : nullptr;
}

Contract Question::contract_of(const Output& output, const Traits& traits, bool given) const {
  return contract_for(output.tensor.scalar_type(),
                      is_gradient(output) ? traits_of_gradient(traits, given) : traits, inputs_,
                      oracle_roundoff());
}

const Oracle* Question::confirming() const {
  const Oracle* quad = Registry<Oracle>::instance().find("quad");
  const bool may_err = oracle_ != nullptr && oracle_->name == "fp64" && quad != nullptr;
  return may_err && quad->may_confirm(program_, inputs_) ? quad : nullptr;
}

Truths Question::dearer_answer() {
  const Oracle* quad = was_chosen_ ? confirming() : nullptr;
  if (quad == nullptr) return {};
  conditioning();  // S is fp64's: differences of doubles are exact enough
  oracle_ = quad;
  return truths_ = quad->evaluate(program_, inputs_);
}

bool Question::is_weak(const std::function<BoundTerms(std::size_t output)>& bound_of) const {
  const Oracle* quad = confirming();
  if (quad == nullptr) return false;
  const Truths wide = quad->evaluate(program_, inputs_);
  for (std::size_t i = 0; i < wide.size() && i < truths_.size(); ++i) {
    if (oracle_is_weak(truths_[i], wide[i], bound_of(i))) return true;
  }
  return false;
}

bool is_gradient(const Output& output) { return output.name.starts_with("grad:"); }

}  // namespace plumb

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/condition.hpp"
#include "harness/judge.hpp"
#include "harness/oracle.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// What is asked of a subject, and what is right: the oracle's answer, and how far it moves with
/// its inputs. Keeps a reference to the subject.
class Question {
 public:
  Question(const Subject& subject, std::uint64_t seed);

  /// Asks the oracle of that name, or the one that `auto` chooses. Empty where none can answer,
  /// with the reason. Out of memory is thrown: it says nothing of the program.
  Truths answer(const std::string& oracle, bool judges_float64, std::string& why_not);

  /// Probes exist where an oracle answered; without one S is unknown, and this is null. Under
  /// explicit values of a float64 case the probes come from fp64, whose differences are exact
  /// enough for S.
  Conditioning* conditioning();

  /// Null where none has answered.
  const Oracle* oracle() const { return oracle_; }
  double oracle_roundoff() const { return oracle_ != nullptr ? oracle_->roundoff : 0; }

  /// Contract of an output of a program with these traits, which may be one of its gradients.
  /// `given`: the person chose the contract.
  Contract contract_of(const Output& output, const Traits& traits, bool given) const;

  /// quad's answer after all, where `auto` chose fp64 because quad takes too long to ask it for
  /// each case: an alarm is worth it. Empty where fp64 was not asked so, or quad cannot answer.
  Truths dearer_answer();

  /// Whether fp64, which may be the culprit itself, is further from quad than a sixteenth of the
  /// bound of some output. False where fp64 was not asked or quad says nothing.
  bool is_weak(const std::function<BoundTerms(std::size_t output)>& bound_of) const;

  /// The program asked about, or the reference in its place.
  const Program& program() const { return program_; }
  const Inputs& inputs() const { return inputs_; }

 private:
  const Oracle* confirming() const;  // null where none can, or need not

  const Program& program_;
  const Inputs inputs_;
  const std::string& undecidable_;
  std::uint64_t seed_;
  const Oracle* oracle_ = nullptr;
  bool was_chosen_ = false;  // by auto
  Truths truths_;
  std::optional<Conditioning> conditioning_;
  bool unprobed_ = false;
};

bool is_gradient(const Output& output);

}  // namespace plumb

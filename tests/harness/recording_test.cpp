// Planted recordings on the CPU, with the faults that captured graphs have, and one without.

#include "harness/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/run.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

using Tensors = std::vector<at::Tensor>;

/// Records y = f(x) by running it: what a capture does, without a device. Derived classes change
/// one thing.
class Healthy : public Recording {
 public:
  Healthy(TensorProgram program, Tensors example, Tensors inputs)
      : program_(std::move(program)), example_(std::move(example)), inputs_(std::move(inputs)) {
    outputs_ = program_(inputs_);
  }

  const Tensors& inputs() const override { return inputs_; }
  const Tensors& outputs() const override { return outputs_; }
  at::Tensor allocate(const at::Tensor& tensor) const override {
    taken_.push_back(at::empty_like(tensor));
    return taken_.back();
  }
  void play() override { put(program_(inputs_)); }

 protected:
  void put(const Tensors& results) {
    for (std::size_t i = 0; i < results.size(); ++i) outputs_[i].copy_(results[i]);
  }

  TensorProgram program_;
  Tensors example_;  // what it was warmed up on
  Tensors inputs_, outputs_;
  mutable Tensors taken_;  // from the allocator since
};

/// Reads the memory it was warmed up on.
struct StalePointer : Healthy {
  using Healthy::Healthy;
  void play() override { put(program_(example_)); }
};

/// Keeps the values it was recorded with.
struct FrozenValues : Healthy {
  FrozenValues(TensorProgram program, Tensors example, Tensors inputs)
      : Healthy(std::move(program), std::move(example), std::move(inputs)) {
    for (const at::Tensor& output : outputs_) frozen.push_back(output.clone());
  }
  void play() override { put(frozen); }
  Tensors frozen;
};

/// Leaves the last element of its output as it was.
struct WritesAllButOne : Healthy {
  using Healthy::Healthy;
  void play() override {
    const at::Tensor kept = outputs_[0].flatten()[-1].clone();
    Healthy::play();
    outputs_[0].flatten()[-1].copy_(kept);
  }
};

/// Adds up in a buffer that nobody clears between plays.
struct Accumulates : Healthy {
  using Healthy::Healthy;
  void play() override {
    Healthy::play();
    sum = sum.defined() ? sum + inputs_[0].sum() : inputs_[0].sum();
    outputs_[0].add_(sum);
  }
  at::Tensor sum;
};

/// The same answer as long as the inputs stay the same: one play behind where they do not.
struct OnePlayBehind : Healthy {
  using Healthy::Healthy;
  void play() override {
    const Tensors now = program_(inputs_);
    put(before.empty() ? now : before);
    before = now;
  }
  Tensors before;
};

/// Its temporaries lie where the allocator puts other tensors by now.
struct FreedTemporary : Healthy {
  using Healthy::Healthy;
  void play() override {
    Healthy::play();
    for (const at::Tensor& other : taken_) {
      if (other.sizes() == outputs_[0].sizes()) outputs_[0].copy_(other);
    }
  }
};

/// Changed by whatever runs beside it.
struct SharedWorkspace : Healthy {
  using Healthy::Healthy;
  void play() override {
    Healthy::play();
    if (plays++ == 5) outputs_[0].mul_(1 + 1e-6);
  }
  int plays = 0;
};

Tensors exponential(const Tensors& in) { return {in[0].exp() * in[1]}; }

Tensors some_values() {
  return {at::arange(24, at::kFloat).view({4, 6}) / 24, at::arange(1, 25, at::kFloat).view({4, 6})};
}

template <typename Kind>
Plays plays_of(const TensorProgram& program = exponential, const Tensors& values = some_values()) {
  const Tensors example = decoys(values);
  Kind recording(program, example, decoys(values));
  return play_under_disturbance(recording, program, example, values);
}

TEST(Recording, AHealthyOneGivesTheSameBitsUnderEveryDisturbance) {
  const Plays plays = plays_of<Healthy>();
  EXPECT_EQ(plays.fault, "");
  EXPECT_TRUE(plays.outputs[0].equal(exponential(some_values())[0]));
}

TEST(Recording, AStalePointerReadsMemoryThatWasSpoiled) {
  EXPECT_TRUE(plays_of<StalePointer>().outputs[0].isnan().all().item<bool>());
}

TEST(Recording, FrozenValuesAreThoseOfOtherInputs) {
  EXPECT_FALSE(plays_of<FrozenValues>().outputs[0].allclose(exponential(some_values())[0]));
}

TEST(Recording, AnElementThatIsNotWrittenHoldsWhatItHeld) {
  const Plays plays = plays_of<WritesAllButOne>();
  EXPECT_THAT(plays.fault, HasSubstr("nothing changed but what its outputs held"));
}

TEST(Recording, ABufferThatIsNotClearedShows) {
  EXPECT_THAT(plays_of<Accumulates>().fault, HasSubstr("play 2"));
}

TEST(Recording, OldInputsShowAfterOthers) {
  const Plays plays = plays_of<OnePlayBehind>();
  EXPECT_EQ(plays.fault,
            "play 3 of what was recorded, after other inputs, differs from play 1 in "
            "output 0");
}

TEST(Recording, ATemporaryThatWasFreedShowsOnceItsMemoryIsTaken) {
  const Plays plays = plays_of<FreedTemporary>();
  EXPECT_THAT(plays.fault, HasSubstr("after memory was taken and freed"));
  EXPECT_TRUE(plays.outputs[0].isnan().any().item<bool>());  // the wrong ones are handed on
}

TEST(Recording, WhatOtherWorkChangesShows) {
  EXPECT_THAT(plays_of<SharedWorkspace>().fault, HasSubstr("after other work"));
}

TEST(Recording, AnOutputMayBeAnInput) {
  const TensorProgram in_place = [](const Tensors& in) { return Tensors{in[0].mul_(3)}; };
  const Plays plays = plays_of<Healthy>(in_place);
  EXPECT_EQ(plays.fault, "");
  EXPECT_TRUE(plays.outputs[0].equal(some_values()[0] * 3));
}

TEST(Recording, DecoysKeepLayoutAndIndicesAndNothingElse) {
  const Tensors values = {at::arange(6, at::kFloat).view({2, 3}).t(), at::arange(4, at::kLong),
                          at::arange(3, at::kHalf).view({3, 1}).expand({3, 4}), at::ones({})};
  const Tensors others = decoys(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(others[i].sizes(), values[i].sizes());
    EXPECT_EQ(others[i].strides(), values[i].strides());
  }
  EXPECT_TRUE(others[0].ne(values[0]).all().item<bool>());
  EXPECT_TRUE(others[1].equal(values[1]));
  EXPECT_FALSE(others[2].equal(values[2]));
  EXPECT_FALSE(others[3].equal(values[3]));
}

}  // namespace
}  // namespace plumb

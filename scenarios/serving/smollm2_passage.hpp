#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb::smollm2 {

/// The text every arm of smollm2-half runs on, and its 47 tokens.
inline constexpr std::string_view kPassage =
    "The Moon is the only natural satellite of Earth. It always shows the same face to us, because "
    "it turns once on its axis in the time it takes to travel once around our planet. Its gravity "
    "causes the tides of the sea.";
inline constexpr std::array<std::int64_t, 47> kPassageTokens = {
    504,  8872, 314,  260, 805,  1782, 8304, 282,  2591, 30,   657,   1811, 2744, 260,  1142, 2715,
    288,  468,  28,   975, 357,  6497, 2268, 335,  624,  6867, 281,   260,  655,  357,  2933, 288,
    2827, 2268, 1130, 653, 3925, 30,   4781, 9354, 2981, 260,  27485, 282,  260,  3426, 30};

/// A check that needs no reference: what a healthy copy of the network says next.
inline constexpr std::string_view kPrompt = "The capital of France is";
inline constexpr std::array<std::int64_t, 5> kPromptTokens = {504, 3575, 282, 4649, 314};
inline constexpr std::string_view kAnswer = " Paris";

}  // namespace plumb::smollm2

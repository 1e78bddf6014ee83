#include "scenarios/serving/vocabulary.hpp"

#include <array>

namespace plumb {
namespace {

constexpr unsigned kNoByte = 0x100;
using Alphabet = std::array<unsigned, 0x200>;

/// GPT-2 tokenizers write each byte as one printable character: itself where it is printable in
/// Latin-1, else the next free one from U+0100 on.
constexpr Alphabet byte_alphabet() {
  Alphabet byte_of{};
  byte_of.fill(kNoByte);
  unsigned next = 0x100;
  for (unsigned b = 0; b < 0x100; ++b) {
    const bool printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b != 0xAD);
    byte_of[printable ? b : next++] = b;
  }
  return byte_of;
}

void append_bytes(const std::string& written, std::string& text) {
  static constexpr Alphabet alphabet = byte_alphabet();
  for (std::size_t i = 0; i < written.size(); ++i) {
    unsigned character = static_cast<unsigned char>(written[i]);
    if (character >= 0xC0 && i + 1 < written.size()) {  // two bytes of UTF-8 reach all the alphabet
      character = (character & 0x1FU) << 6 | (static_cast<unsigned char>(written[++i]) & 0x3FU);
    }
    const unsigned byte = character < alphabet.size() ? alphabet[character] : kNoByte;
    text += byte == kNoByte ? '?' : static_cast<char>(byte);
  }
}

}  // namespace

Vocabulary::Vocabulary(const GgufFile& file) : tokens_(file.strings("tokenizer.ggml.tokens")) {}

std::string Vocabulary::text(c10::IntArrayRef tokens) const {
  std::string text;
  for (const std::int64_t token : tokens) {
    append_bytes(tokens_.at(static_cast<std::size_t>(token)), text);
  }
  return text;
}

}  // namespace plumb

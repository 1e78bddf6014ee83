#include "harness/io/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "harness/errors.hpp"

namespace plumb {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;
// The header is an object of objects that hold arrays.
constexpr int kDeepest = 2;

constexpr std::pair<std::string_view, int> kDtypes[] = {
    {"BOOL", 8},    {"U8", 8},          {"I8", 8},          {"U16", 16},    {"I16", 16},
    {"U32", 32},    {"I32", 32},        {"U64", 64},        {"I64", 64},    {"F16", 16},
    {"BF16", 16},   {"F32", 32},        {"F64", 64},        {"F8_E4M3", 8}, {"F8_E5M2", 8},
    {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6},
    {"F4", 4},      {"C64", 64},
};

// Reads one file; every complaint begins with its name.
class Reader {
 public:
  explicit Reader(const MappedFile& file) : file_(file) {}

  Json header() {
    const std::string_view text = header_text();
    std::vector<std::set<std::string>> seen(kDeepest + 2);
    const auto check = [&](int depth, Json::parse_event_t event, const Json& parsed) {
      check_event(static_cast<std::size_t>(depth), event, parsed, seen);
      return true;
    };
    Json header;
    try {
      header = Json::parse(text, check);
    } catch (const Json::exception& error) {
      const auto* parse = dynamic_cast<const Json::parse_error*>(&error);
      const std::string where = parse != nullptr ? " at byte " + std::to_string(parse->byte) : "";
      refuse("header is not valid JSON" + where);
    }
    return header;
  }

  SafetensorsTensor tensor(const std::string& name, const Json& entry) const {
    const std::string field = "tensor " + quote_name(name) + ": ";
    if (!entry.is_object()) refuse(field + "expected an object with dtype, shape and data_offsets");
    SafetensorsTensor tensor{.dtype = dtype(field, entry), .shape = shape(field, entry)};
    const auto [begin, end] = offsets(field, entry);
    const std::uint64_t size = bytes_of(field, tensor);
    if (end - begin != size) {
      refuse(field + "dtype and shape need " + std::to_string(size) + " bytes, data_offsets give " +
             std::to_string(end - begin));
    }
    tensor.data = buffer().subspan(begin, size);
    return tensor;
  }

  // The tensors lie side by side, in any order, from the first byte of the buffer to its last.
  void check_tiling(const std::map<std::string, SafetensorsTensor, std::less<>>& tensors) const {
    using Place = std::pair<std::span<const std::byte>, const std::string*>;
    std::vector<Place> places;
    places.reserve(tensors.size());
    for (const auto& [name, tensor] : tensors) places.emplace_back(tensor.data, &name);
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::pair(a.first.data(), a.first.size()) < std::pair(b.first.data(), b.first.size());
    });
    std::uint64_t covered = 0;
    for (const auto& [data, name] : places) {
      const auto begin = static_cast<std::uint64_t>(data.data() - buffer().data());
      if (begin != covered) {
        const char* fault =
            begin < covered ? ": it overlaps another" : ": there is a hole before it";
        refuse("tensor " + quote_name(*name) + ": data begins at " + std::to_string(begin) +
               ", expected " + std::to_string(covered) + fault);
      }
      covered += data.size();
    }
    if (covered == buffer().size()) return;
    refuse("the tensors end at byte " + std::to_string(covered) +
           " of the buffer, expected its end at " + std::to_string(buffer().size()));
  }

  std::map<std::string, std::string> metadata(const Json& entry) const {
    if (!entry.is_object()) refuse("__metadata__: expected an object of strings");
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) refuse("__metadata__: " + quote_name(key) + ": expected a string");
      metadata[key] = value.get<std::string>();
    }
    return metadata;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(file_.path().string() + ": " + why);
  }

  std::string_view header_text() {
    const std::span<const std::byte> bytes = file_.bytes();
    const std::string size = " (" + std::to_string(bytes.size()) + " bytes)";
    if (bytes.size() < kLengthBytes) refuse("expected at least 8 bytes of header length" + size);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), kLengthBytes);
    const std::string field = "header length " + std::to_string(length);
    if (length > kLongestHeader) refuse(field + " is larger than the limit of 100000000 bytes");
    if (length > bytes.size() - kLengthBytes) refuse(field + " is larger than the file" + size);
    begin_ = kLengthBytes + length;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
    if (text.empty() || text.front() != '{') refuse("header: expected JSON that starts with '{'");
    return text;
  }

  void check_event(std::size_t depth, Json::parse_event_t event, const Json& parsed,
                   std::vector<std::set<std::string>>& seen) const {
    const bool starts_object = event == Json::parse_event_t::object_start;
    if (starts_object || event == Json::parse_event_t::array_start) {
      if (depth > kDeepest) refuse("header: expected nothing deeper than the arrays of a tensor");
      if (starts_object) seen[depth + 1].clear();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!seen[depth].insert(key).second) refuse("header: duplicate key " + quote_name(key));
    }
  }

  std::span<const std::byte> buffer() const { return file_.bytes().subspan(begin_); }

  std::string dtype(const std::string& field, const Json& entry) const {
    const auto found = entry.find("dtype");
    if (found == entry.end() || !found->is_string()) refuse(field + "dtype: expected a string");
    const auto& name = found->get_ref<const std::string&>();
    if (safetensors_bits(name) == 0) {
      refuse(field + "dtype " + quote_name(name) + " is unknown, expected one such as \"F32\"");
    }
    return name;
  }

  std::vector<std::int64_t> shape(const std::string& field, const Json& entry) const {
    std::vector<std::int64_t> shape;
    for (const std::uint64_t extent : integers(field + "shape: ", entry, "shape")) {
      if (extent > INT64_MAX) refuse(field + "shape: " + std::to_string(extent) + " is too large");
      shape.push_back(static_cast<std::int64_t>(extent));
    }
    return shape;
  }

  std::pair<std::uint64_t, std::uint64_t> offsets(const std::string& field,
                                                  const Json& entry) const {
    const std::vector<std::uint64_t> ends =
        integers(field + "data_offsets: ", entry, "data_offsets");
    if (ends.size() != 2) refuse(field + "data_offsets: expected [begin, end]");
    if (ends[0] > ends[1] || ends[1] > buffer().size()) {
      refuse(field + "data_offsets: [" + std::to_string(ends[0]) + ", " + std::to_string(ends[1]) +
             "] is not a range within the buffer of " + std::to_string(buffer().size()) + " bytes");
    }
    return {ends[0], ends[1]};
  }

  std::vector<std::uint64_t> integers(const std::string& field, const Json& entry,
                                      const char* key) const {
    const auto found = entry.find(key);
    const bool wrong = found == entry.end() || !found->is_array() ||
                       !std::all_of(found->begin(), found->end(),
                                    [](const Json& item) { return item.is_number_unsigned(); });
    if (wrong) refuse(field + "expected an array of integers that are not negative");
    return found->get<std::vector<std::uint64_t>>();
  }

  std::uint64_t bytes_of(const std::string& field, const SafetensorsTensor& tensor) const {
    auto bits = static_cast<std::uint64_t>(safetensors_bits(tensor.dtype));
    bool overflows = false;
    for (const std::int64_t extent : tensor.shape) {
      overflows |= __builtin_mul_overflow(bits, static_cast<std::uint64_t>(extent), &bits);
    }
    if (overflows) refuse(field + "shape: its size does not fit in 64 bits");
    if (bits % 8 != 0) refuse(field + "shape: its elements do not fill whole bytes");
    return bits / 8;
  }

  const MappedFile& file_;
  std::uint64_t begin_ = 0;
};

}  // namespace

int safetensors_bits(std::string_view dtype) {
  const auto* found = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                   [dtype](const auto& known) { return known.first == dtype; });
  return found == std::end(kDtypes) ? 0 : found->second;
}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  SafetensorsFile opened(MappedFile::open(path));
  Reader reader(opened.file_);
  const Json header = reader.header();
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      opened.metadata_ = reader.metadata(entry);
    } else {
      opened.tensors_.emplace(name, reader.tensor(name, entry));
    }
  }
  reader.check_tiling(opened.tensors_);
  return opened;
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) names.push_back(name);
  return names;
}

const SafetensorsTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

const SafetensorsTensor& SafetensorsFile::at(std::string_view name) const {
  if (const SafetensorsTensor* tensor = find(name)) return *tensor;
  const std::string close = nearest(name, names());
  const std::string hint = close.empty() ? "it holds none" : "the nearest is " + quote_name(close);
  throw InputError(file_.path().string() + ": no tensor " + quote_name(name) + "; " + hint);
}

}  // namespace plumb

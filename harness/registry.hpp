#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// All the things of one kind that this program holds: scenarios, variants, oracles, reporters …
/// A file adds one by a namespace-scope `const Register<T> registered{{.name = "…", …}};`.
/// Entries are kept sorted by name, so that link order never shows.
template <typename T>
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  /// Throws std::logic_error for a name that is taken: two files claim one word of the vocabulary.
  void add(T entry) {
    const auto place = lower_bound(entry.name);
    if (place != entries_.end() && place->name == entry.name) {
      throw std::logic_error("'" + entry.name + "' is registered twice");
    }
    entries_.insert(place, std::move(entry));
  }

  const T* find(std::string_view name) const {
    const auto place =
        std::find_if(entries_.begin(), entries_.end(), [&](const T& e) { return e.name == name; });
    return place == entries_.end() ? nullptr : &*place;
  }

  const std::vector<T>& all() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const T& entry : entries_) names.push_back(entry.name);
    return names;
  }

 private:
  auto lower_bound(std::string_view name) {
    return std::lower_bound(entries_.begin(), entries_.end(), name,
                            [](const T& e, std::string_view n) { return e.name < n; });
  }

  std::vector<T> entries_;
};

/// Registers its argument at program start.
template <typename T>
struct Register {
  explicit Register(T entry) { Registry<T>::instance().add(std::move(entry)); }
};

}  // namespace plumb

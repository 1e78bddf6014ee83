#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/expectation.hpp"
#include "harness/program.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// A stored case, schema plumb.case/1 (docs/formats.md), ready to run.
struct Case {
  std::string name;
  std::string about;
  std::string op;  // "aten::gelu", or the operators of `steps` joined by " → "
  std::vector<std::string> operators;  // of all calls
  Subject subject;
  Settings settings;
  std::optional<Expectation> expect;
  std::vector<std::string> tags;
  std::string file;
  std::string identity;  // canonical text without `expect`, hashed into the id
};

/// Called when everything but the subject is known, before memory is taken for a tensor. It may
/// change the settings.
using KnownCase = std::function<void(Case& known)>;

/// Parses one case. `file` names it in errors and is where external files are looked up; the stem
/// of `file` is the default name. InputError, one sentence, for anything the format does not allow.
Case case_from_json(const Json& json, const std::string& file, const KnownCase& known = {});

Case load_case(const std::string& file, const KnownCase& known = {});

/// Case files below a folder (sorted), or the file itself. InputError when there is none.
std::vector<std::string> case_files(const std::string& path);

}  // namespace plumb

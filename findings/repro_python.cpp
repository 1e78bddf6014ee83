#include "findings/repro.hpp"

#include "findings/python_text.hpp"
#include "findings/repro_again.hpp"
#include "findings/repro_variant.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

/// One side of a relation as a function of its tensors.
std::string compute_text(const ReproModel& model, std::string body) {
  body.replace(body.rfind("got = "), 6, "return ");
  return "def compute(" + compute_arguments(model) + "):\n" + indented(body, 4) + "\n\n";
}

/// Compares `first` and `second` in the element that was seen to differ.
std::string difference_text(const Json& seen) {
  std::string index = list_text(seen["index"].get<std::vector<std::int64_t>>());
  if (index == "[]") index = "";
  const std::string same =
      "torch.isclose(a, b, rtol=0, atol=" + shortest(seen["bound"].get<double>()) +
      ", equal_nan=True)";
  return "a, b = first" + index + ", second" + index +
         "\nprint(\"first \", a.item())\nprint(\"second\", b.item())\nraise SystemExit(int(" +
         (signs_differ(seen) ? "a.signbit() != b.signbit()" : "not " + same) + "))\n";
}

/// The operator that writes its answer beside the one that returns it.
std::string written_text(const ReproModel& model, const Json& seen, const WritingCall& writing) {
  std::string text;
  if (writing.fills.empty()) {
    // It may have returned a view of what is written next.
    text += "first = got.clone()\n";
    if (writing.overlaps) text += writing.answer + " = " + writing.answer + ".contiguous()\n";
  } else {
    text += "first = got\n";
  }
  const bool one = returns_one_tensor(model.calls.back());
  for (std::size_t i = 0; i < writing.fills.size(); ++i) {
    text += "buffer" + std::to_string(i) + " = torch.full_like(" +
            (one ? "got" : "outs[" + std::to_string(i) + "]") + ".contiguous(), " +
            writing.fills[i] + ")\n";
  }
  return text + python_call(writing.call) + "\nsecond = " + writing.answer + "\n" +
         difference_text(seen);
}

/// The bits of each try against the first's.
std::string tries_text(const std::string& again, int tries) {
  return "for _ in range(" + std::to_string(tries) + "):\n    second = " + again +
         "\n    a, b = (t.reshape([-1]).view(torch.uint8) for t in (first, second))\n"
         "    if not torch.equal(a, b):\n        print(\"first \", first)\n"
         "        print(\"second\", second)\n        raise SystemExit(1)\n"
         "print(\"all runs gave the same bits\")\n";
}

/// Both sides of a broken relation, the first of which leaves `got`.
std::string both_sides(const ReproModel& model, const Json& seen, const Result& row,
                       const std::string& tensors, const std::string& computed) {
  const std::string relation = "\n# " + seen["about"].get<std::string>() + "\n";
  const Json& sketch = seen["sketch"];
  if (sketch["op"] != "") {
    const auto writing = writing_call(model, seen);
    if (writing) return tensors + computed + relation + written_text(model, seen, *writing);
  }
  const bool copies = writes_arguments(model);
  std::string text = compute_text(model, computed) + tensors;
  const int threads = sketch["threads"];
  if (threads != 0) text += "torch.set_num_threads(" + std::to_string(row.threads) + ")\n";
  text += "first = compute(" + compute_arguments(model, "", copies ? ".clone()" : "") + ")\n";
  text += relation;
  if (threads != 0) text += "torch.set_num_threads(" + std::to_string(threads) + ")\n";
  const std::string again = second_answer(model, seen);
  if (!seen.contains("index")) return text + tries_text(again, sketch["tries"]);
  return text + "second = " + again + "\n" + difference_text(seen);
}

constexpr std::string_view kOneSide =
    "print(\"one side of it: \", got)\nprint(\"a second answer did not come out of it again: plumb "
    "replay may show it\")\nraise SystemExit(77)\n";

/// Which operators run, held against those that are meant to.
std::string path_text(const Json& stored, const std::string& computed) {
  return "with torch.profiler.profile() as profile:\n" + indented(computed, 4) +
         "ran = [event.name for event in profile.events()]\nmeant = " +
         stored["expect"]["path"].dump() +
         "\nprint(\"ran:        \", [name for name in ran if name.startswith(\"aten::_\")])\n"
         "missing = [name for name in meant if name not in ran]\n"
         "print(\"did not run:\", missing)\nraise SystemExit(int(missing != []))\n";
}

std::string remark(const Result& row) {
  switch (row.verdict) {
    case Verdict::error: return "print(\"no error\")\n";
    case Verdict::crashed:
    case Verdict::hung:
    case Verdict::out_of_memory: return "print(\"it came through\")\n";
    default: return "";
  }
}

std::string nothing_to_show(const std::string& why) {
  return "import sys\n\nprint(\"" + why + "\")\nsys.exit(77)\n";
}

}  // namespace

std::string python_repro(const Json& stored, const Json& seen, const Result& row) {
  std::string text = "# " + repro_title(stored, row) + "\n";
  const auto model = repro_model(stored);
  if (!model) return text + nothing_to_show(kNoModel);
  text += "import torch\n\n";
  if (!model->calls.back().op.schema().name().starts_with("aten::")) {
    text += "import sys\n\ntorch.ops.load_library(sys.argv[1])  # what registers the operator\n";
  }
  if (row.threads != 1) text += "torch.set_num_threads(" + std::to_string(row.threads) + ")\n";
  const std::string variant = stored.value("variant", "eager");
  if (variant != "eager") {
    std::string why_not;
    const std::string rest = variant_text(*model, variant, seen, row, why_not);
    return rest.empty() ? text + nothing_to_show(why_not + ": plumb replay shows it") : text + rest;
  }
  std::string tensors;
  for (const ReproTensor& tensor : model->tensors) tensors += tensor_text(tensor);
  if (!remark(row).empty()) return text + tensors + calls_text(*model) + remark(row);
  const std::string where = seen.is_object() ? seen["output"].get<std::string>() : row.where;
  const std::string output = where.substr(0, where.find(", "));  // a relation follows
  const std::string computed = calls_text(*model) + got_text(*model, output);
  if (row.verdict == Verdict::fallback) return text + tensors + path_text(stored, computed);
  if (!is_about_two_answers(row)) return text + tensors + computed + verdict_text(seen, row);
  if (!seen.is_object()) return text + tensors + computed + std::string(kOneSide);
  return text + both_sides(*model, seen, row, tensors, computed);
}

}  // namespace plumb

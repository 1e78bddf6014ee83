#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "findings/reduce.hpp"

namespace plumb {

/// A failure with a folder of its own (docs/formats.md, "Findings").
struct Finding {
  std::string fingerprint;
  std::filesystem::path folder;
  std::string call;  // call_text of the case
  Result row;        // of the case in the folder
  Json record;       // finding.json
};

/// finding.json of a failure that was made smaller, or stayed as it was.
Json finding_record(const Alarm& alarm, const Reduced& reduced);

/// Writes OUT/findings/FINGERPRINT/: case.json, original.json, finding.json, repro.py, repro.cpp.
Finding write_finding(const Alarm& alarm, const Reduced& reduced, const std::filesystem::path& out);

/// Removes what an earlier run left in OUT/findings besides these fingerprints; folders of another
/// making are not touched.
void remove_findings_but(const std::set<std::string>& kept, const std::filesystem::path& out);

/// Makes the alarms smaller in workers and writes a folder for each; those of one fingerprint share
/// one. In the order of the alarms, whatever ended first. Of alarms that likely have one cause
/// (operator, verdict and place, in several types or paths) little is spent on all but the worst.
/// Findings of an earlier run are removed from `out`.
std::vector<Finding> file_findings(Zygote& zygote, std::vector<Alarm> alarms,
                                   const ReduceOptions& options, const std::filesystem::path& out);

}  // namespace plumb

// How run, compare and verify hand over what they found: files that were asked for, then JSON or
// CSV for programs, or text for people.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace rein::app {

struct OutputWords {
  bool json = false;
  bool csv = false;
  std::string save;
  std::string report;
};

// Throws UsageError where both JSON and CSV were asked for.
void check_output(const OutputWords& words);
// `csv`: of verbs that have one. `for_people` prints.
void hand_over(const OutputWords& words, const std::string& json,
               const std::optional<std::string>& csv, const std::function<void()>& for_people);

}  // namespace rein::app

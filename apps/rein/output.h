// How run, compare and verify hand over what they found: files that were asked for, then JSON or
// CSV for programs, or text for people.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rein/spec.h"
#include "verbs.h"

namespace rein::app {

struct OutputWords {
  bool json = false;
  bool csv = false;
  bool saves_csv = true;  // --save writes PATH.csv too
  std::string save;
  std::string report;
};

// A file, and the option that names it.
struct NamedFile {
  std::string option;
  std::string path;
};

// Adds --save and --report, as far as the verb has them.
void add_save(CLI::App& verb, OutputWords& words);
void add_report(CLI::App& verb, OutputWords& words);

// The files that a world reads: file="..." anywhere in its spec.
std::vector<NamedFile> files_of(const Spec& world);

// Under any of their names, and through links.
bool same_file(const std::string& a, const std::string& b);

// To be called before the run. Throws UsageError where JSON and CSV were both asked for, or where a
// file would be written over another one of this command; `others` are the files that it reads or
// keeps. Throws Failure where a file cannot be written, or standard output is closed.
void check_output(const OutputWords& words, const std::vector<NamedFile>& others = {});

// `csv`: of verbs that have one. `for_people` prints. What can be written is written, and the text
// is printed in any case; then it throws Failure where a file could not be written.
void hand_over(const OutputWords& words, const std::string& json,
               const std::optional<std::string>& csv, const std::function<void()>& for_people);

}  // namespace rein::app

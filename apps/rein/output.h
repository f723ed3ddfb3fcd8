// The output of run, compare and verify: the requested files, then JSON or CSV for programs, or
// text for people.
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
  bool saves_csv = true;  // whether --save also writes PATH.csv
  std::string save;
  std::string report;
};

// A file and the option that names it.
struct NamedFile {
  std::string option;
  std::string path;
};

// Adds --save and --report, if the verb has them.
void add_save(CLI::App& verb, OutputWords& words);
void add_report(CLI::App& verb, OutputWords& words);

// The files that a world reads: file="..." anywhere in its spec.
std::vector<NamedFile> files_of(const Spec& world);

// Whether two paths are the same file, also through links.
bool same_file(const std::string& a, const std::string& b);

// Call before the run. Throws UsageError if both JSON and CSV were requested, or if one file would
// overwrite another file of this command. `others` are the files that the command reads or keeps.
// Throws Failure if a file cannot be written or standard output is closed.
void check_output(const OutputWords& words, const std::vector<NamedFile>& others = {});

// `csv`: for verbs that have it. `for_people` prints the text. Everything that can be written is
// written, and the text is always printed. Then it throws Failure if a file could not be written.
void hand_over(const OutputWords& words, const std::string& json,
               const std::optional<std::string>& csv, const std::function<void()>& for_people);

}  // namespace rein::app

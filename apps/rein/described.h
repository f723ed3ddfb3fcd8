// The command line as data: its verbs and options, as `--help` shows them. Shell completion and manual
// pages are made from it, so a new option is in both at once.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rein::app {

// What a shell can offer for the value of an option.
enum class Offer { kNothing, kFiles, kFolders, kNames };

struct DescribedOption {
  std::vector<std::string> names;  // with their dashes; of a positional: its one name
  std::string value;               // what stands for its value, such as FILE; empty: a flag
  std::string initial;             // the default, if --help shows one
  std::string group;               // heading under which --help lists it
  std::string line;
  bool positional = false;
  bool required = false;
  bool repeated = false;
  Offer offer = Offer::kNothing;
  std::vector<std::string> offered;  // with kNames
};

struct DescribedVerb {
  std::string name;  // empty: the program itself
  std::string line;
  std::string footer;
  std::vector<DescribedOption> options;
};

// The program itself comes first, then its verbs in the order of --help.
std::vector<DescribedVerb> described(const CLI::App& program);

}  // namespace rein::app

#include "output.h"

#include <fmt/format.h>

#include <fstream>

#include "rein/report.h"
#include "verbs.h"

namespace rein::app {
namespace {

// `option` is the word that asked for the file.
void write_file(const char* option, const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) throw Failure(fmt::format("{}: cannot write {}", option, path));
}

}  // namespace

void check_output(const OutputWords& words) {
  if (words.json && words.csv) throw UsageError("--json and --csv are both given; accepted: one");
}

void hand_over(const OutputWords& words, const std::string& json,
               const std::optional<std::string>& csv, const std::function<void()>& for_people) {
  std::string written;
  if (!words.save.empty()) {
    write_file("--save", words.save + ".json", json + "\n");
    written = fmt::format("written: {}.json", words.save);
    if (csv) {
      write_file("--save", words.save + ".csv", *csv);
      written += fmt::format(" {}.csv", words.save);
    }
    written += '\n';
  }
  if (!words.report.empty()) {
    write_file("--report", words.report, report_page(json));
    written += fmt::format("report: {}\n", words.report);
  }
  if (words.json) {
    fmt::print("{}\n", json);
  } else if (words.csv && csv) {
    fmt::print("{}", *csv);
  } else {
    for_people();
    fmt::print("{}", written);
  }
}

}  // namespace rein::app

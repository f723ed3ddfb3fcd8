#include "output.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "numbers.h"
#include "rein/report.h"
#include "streams.h"

namespace rein::app {
namespace {

std::vector<NamedFile> written_files(const OutputWords& words) {
  std::vector<NamedFile> files;
  if (!words.save.empty()) {
    files.push_back({"--save", words.save + ".json"});
    if (words.saves_csv) files.push_back({"--save", words.save + ".csv"});
  }
  if (!words.report.empty()) files.push_back({"--report", words.report});
  return files;
}

void add_files(const Spec& spec, std::vector<NamedFile>& files) {
  for (const auto& [key, value] : spec.options) {
    if (const Spec* inner = std::get_if<Spec>(&value.is)) {
      add_files(*inner, files);
      if (key == "file" && inner->options.empty())
        files.push_back({"file= of --world", inner->name});
    }
    const auto* quoted = std::get_if<SpecValue::Quoted>(&value.is);
    if (key == "file" && quoted != nullptr) files.push_back({"file= of --world", quoted->text});
  }
}

}  // namespace

void add_save(CLI::App& verb, OutputWords& words) {
  verb.add_option("--save", words.save,
                  words.saves_csv ? "also write the results to PATH.json and PATH.csv"
                                  : "also write the results to PATH.json")
      ->type_name("PATH")
      ->check(not_empty("a path, to which .json is added"));
}

void add_report(CLI::App& verb, OutputWords& words) {
  verb.add_option("--report", words.report,
                  "also write a report with plots: one HTML file for any browser")
      ->type_name("FILE")
      ->check(not_empty("a path, as out.html"));
}

std::vector<NamedFile> files_of(const Spec& world) {
  std::vector<NamedFile> files;
  add_files(world, files);
  return files;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (std::filesystem::equivalent(a, b, ignored) && !ignored) {
    return std::filesystem::is_regular_file(a, ignored);  // two reports may go to the same device
  }
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return whole(a) == whole(b) && !std::filesystem::exists(a, ignored);
}

void check_output(const OutputWords& words, const std::vector<NamedFile>& others) {
  if (words.json && words.csv) throw UsageError("--json and --csv are both given; accepted: one");
  if (words.save.ends_with('/')) {
    throw UsageError(
        fmt::format("--save: found \"{}\", a folder; accepted: a path to which .json "
                    "is added, as {}result",
                    words.save, words.save));
  }
  const std::vector<NamedFile> written = written_files(words);
  std::vector<NamedFile> all = others;
  for (const NamedFile& file : written) {
    for (const NamedFile& other : all) {
      if (!same_file(file.path, other.path)) continue;
      throw UsageError(fmt::format("{} {} and {} {} are the same file; accepted: two files",
                                   file.option, file.path, other.option, other.path));
    }
    all.push_back(file);
  }
  check_stdout();
  for (const NamedFile& file : written) {
    if (auto fine = check_writable(file.path); !fine) {
      throw Failure(fmt::format("{}: {}", file.option, fine.error()));
    }
  }
}

void hand_over(const OutputWords& words, const std::string& json,
               const std::optional<std::string>& csv, const std::function<void()>& for_people) {
  std::string written, failed;
  const auto write = [&](const char* option, const std::string& path, const std::string& text) {
    const Result<> done = write_whole(path, text);
    if (done) {
      written += fmt::format("{}: {}\n",
                             option == std::string_view("--report") ? "report" : "written", path);
    } else {
      failed += fmt::format("{}{}: {}", failed.empty() ? "" : "; ", option, done.error());
    }
  };
  if (!words.save.empty()) {
    write("--save", words.save + ".json", json + "\n");
    if (csv) write("--save", words.save + ".csv", *csv);
  }
  if (!words.report.empty()) write("--report", words.report, report_page(json));
  if (words.json) {
    fmt::print("{}\n", json);
  } else if (words.csv && csv) {
    fmt::print("{}", *csv);
  } else {
    for_people();
    fmt::print("{}", written);
  }
  if (!failed.empty()) throw Failure(failed);
}

}  // namespace rein::app

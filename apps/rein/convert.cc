// rein convert: a log from one format to another.
#include <fmt/format.h>

#include <filesystem>

#include "log_words.h"
#include "progress.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct ConvertWords {
  std::string in, out, to = "auto";
  LogWords log;
  bool force = false, quiet = false;
};

// Same file under two names: it would be read while it is replaced.
void check_files(const ConvertWords& given) {
  std::error_code ignored;
  if (std::filesystem::equivalent(given.in, given.out, ignored)) {
    throw UsageError(fmt::format("{} is both files; accepted: two different files", given.out));
  }
  if (!given.force && std::filesystem::is_regular_file(given.out)) {
    throw UsageError(fmt::format("{} exists; accepted: another name, or --force", given.out));
  }
}

int run(const ConvertWords& given) {
  const LogOptions options = log_options(given.log);
  const LogFormat to = typed(log_format(given.to));
  if (to == LogFormat::kAuto) typed(log_format_of(given.out));
  check_files(given);
  Result<Converted> done = Error{"not started"};
  {
    Progress bar(Progress::kBytes);
    done = convert_log(given.in, options, given.out, to, [&](std::int64_t read, std::int64_t all) {
      bar.show(read, all);
      return go_on();
    });
  }
  const Converted both = std::move(done).value();  // a failure: exit code 1
  if (!given.quiet) fmt::print("{}{}", both.in.str(), both.out.str());
  return kOk;
}

}  // namespace

Verb add_convert(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("convert", "A log of past decisions to another format");
  auto given = std::make_shared<ConvertWords>();
  verb->add_option("IN", given->in, "File to read, plain or gzip")->required();
  verb->add_option("OUT", given->out, "File to write; gzip if it ends in .gz")->required();
  verb->add_option("--to", given->to, "Format of OUT; cb: plain cb of Vowpal Wabbit")
      ->capture_default_str();
  add_log_words(*verb, given->log);
  verb->add_flag("--force", given->force, "Overwrite OUT if it exists");
  verb->add_flag("--quiet", given->quiet, "Print no counts");
  verb->footer(
      "Formats by the end of the name: .csv .jsonl .dsjson .json .vw .txt .rlog, and .gz after "
      "them.\n"
      "  rein convert decisions.csv decisions.rlog\n"
      "  rein convert train.vw.gz train.dsjson\n"
      "Rows that cannot be used are refused and counted, with their first and last line.\n"
      "docs/convert.md has the formats and what each can hold.\n"
      "Exit code 1: a file is damaged or cannot be written, or no row can be used.");
  return [given] { return stoppable("convert", [&] { return run(*given); }); };
}

}  // namespace rein::app

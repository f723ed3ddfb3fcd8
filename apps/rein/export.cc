// rein export: decisions with their outcomes, from a journal.
#include "tools/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/atomic_file.h"
#include "streams.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct ExportWords {
  std::string path, format = "csv", out;
  bool force = false;
};

serve::ExportFormat format_of(const std::string& name) {
  if (name == "csv") return serve::ExportFormat::kCsv;
  if (name == "jsonl") return serve::ExportFormat::kJsonl;
  if (name == "dsjson") return serve::ExportFormat::kDsjson;
  throw UsageError(fmt::format("--format: found \"{}\"; accepted: csv, jsonl, dsjson", name));
}

// Gathers lines, so that few calls write many.
class Buffered {
 public:
  explicit Buffered(serve::Sink sink) : sink_(std::move(sink)) {}
  Result<> write(std::string_view text) {
    constexpr std::size_t kBytes = 1 << 16;
    buffer_ += text;
    return buffer_.size() < kBytes ? Result<>() : flush();
  }
  Result<> flush() {
    auto done = sink_(buffer_);
    buffer_.clear();
    return done;
  }

 private:
  serve::Sink sink_;
  std::string buffer_;
};

Result<> to_stdout(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return {};
  return Error{fmt::format("cannot write to standard output: {}", std::strerror(errno)),
               Reason::kFailed};
}

int run(const ExportWords& given) {
  const serve::ExportFormat format = format_of(given.format);
  const auto folder = typed(serve::model_folder(given.path));
  const bool to_file = !given.out.empty();
  if (to_file && !given.force && std::filesystem::is_regular_file(given.out)) {
    throw UsageError(
        fmt::format("--out: {} exists; accepted: another name, or --force", given.out));
  }
  if (!to_file) check_stdout();
  const auto journal = read_from(serve::open_journal_of(folder));
  std::optional<PieceFile> file;
  if (to_file) file.emplace(read_from(PieceFile::open(given.out)));
  Buffered out([&](std::string_view text) { return file ? file->write(text) : to_stdout(text); });
  const serve::Exported done = read_from(serve::export_journal(
      *journal, format, [&](std::string_view text) { return out.write(text); }));
  out.flush().check();
  if (!done.unknown_policy.empty()) fmt::print(stderr, "note: {}\n", done.unknown_policy);
  if (!file) return kOk;
  file->finish().check();
  fmt::print("{} decisions in {}\n", done.rows, given.out);
  return kOk;
}

}  // namespace

Verb add_export(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "export", "A model's decisions with their outcomes: csv, jsonl, dsjson");
  auto given = std::make_shared<ExportWords>();
  verb->add_option("DATA/MODEL", given->path, "Folder of the model")->required();
  verb->add_option("--format", given->format, "csv, jsonl or dsjson")->capture_default_str();
  verb->add_option("--out", given->out, "File (default: standard output)")->type_name("FILE");
  verb->add_flag("--force", given->force, "Overwrite the file if it exists");
  verb->footer(
      "Reads a folder whose service is stopped, or a copy of it, and changes nothing.\n"
      "  rein export rein-data/routing --format csv --out routing.csv\n"
      "  rein export rein-data/routing --format jsonl | head\n"
      "One row per decision, in the order in which their outcomes were complete; open ones last.\n"
      "Parts of an outcome that never came are empty (csv), null (jsonl) or left out (dsjson).\n"
      "  csv     id, at (UTC seconds), state, action, probability, actions, probabilities,\n"
      "          scope.NAME, context.NAME, features, reward, cost.NAME\n"
      "  jsonl   the same as objects\n"
      "  dsjson  for Vowpal Wabbit: _label_cost is -reward; _costs has the costs\n"
      "state is settled, expired, cancelled or open. actions are those that fitted the hard "
      "budgets.\n"
      "With a schema the context has the numbers that the policy saw, by the names of its "
      "columns.\n"
      "Keys of scopes are digests: the journal does not hold them.\n"
      "Exit code 1: the journal is damaged, or a service has the folder open.");
  return [given] { return run(*given); };
}

}  // namespace rein::app

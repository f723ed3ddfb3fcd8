// rein replay: folds a journal again, and compares hashes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>

#include "base/json.h"
#include "tools/journal_check.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct ReplayWords {
  std::string path;
  std::int64_t from = 0, to = 0;
  bool snapshot = false, json = false;
};

std::optional<Snapshot> start_of(const ReplayWords& given, const serve::ModelFolder& folder) {
  const SnapshotFiles files(folder.path);
  if (given.from > 0) return read_from(files.read(given.from));
  if (!given.snapshot) return std::nullopt;
  auto latest = read_from(files.latest());
  if (!latest.snapshot) {
    throw Failure(fmt::format("{}: it has no intact snapshot; accepted: replay without --snapshot",
                              folder.path));
  }
  return std::move(latest.snapshot);
}

int run(const ReplayWords& given) {
  if (given.from > 0 && given.snapshot) {
    throw UsageError("--from: found beside --snapshot; accepted: one of them");
  }
  const auto folder = typed(serve::model_folder(given.path));
  const auto journal = read_from(serve::open_journal_of(folder));
  const auto start = start_of(given, folder);
  serve::FoldRange range{.from = start ? &*start : nullptr};
  if (given.to > 0) range.to = given.to;
  if (given.to > journal->last()) {
    throw UsageError(fmt::format("--to: found {}; accepted: 1 to {}, the last entry", given.to,
                                 journal->last()));
  }
  const std::clock_t cpu_before = std::clock();
  const auto before = std::chrono::steady_clock::now();
  auto folded = serve::replay(*journal, range);
  if (!folded) folded = serve::error_in(folder.path, folded.failure());
  const auto done = read_from(std::move(folded));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  const double cpu =
      static_cast<double>(std::clock() - cpu_before) / static_cast<double>(CLOCKS_PER_SEC);
  const double rate = static_cast<double>(done.entries) / std::max(took.count(), 1e-6);
  const double cpu_rate = static_cast<double>(done.entries) / std::max(cpu, 1e-6);
  if (given.json) {
    JsonWriter json;
    json.begin_object().key("from").value(done.from).key("last").value(done.last);
    json.key("entries").value(done.entries).key("hashes").value(done.hashes);
    json.key("seconds").value(took.count()).key("per_second").value(rate);
    json.key("per_cpu_second").value(cpu_rate);
    json.key("hash").value(fmt::format("{:016x}", done.hash)).end_object();
    fmt::print("{}\n", json.str());
    return kOk;
  }
  fmt::print("{} entries from {}, {:.0f} per second ({:.0f} per CPU second)\n", done.entries,
             done.from == 0 ? "the beginning" : fmt::format("the snapshot at {}", done.from), rate,
             cpu_rate);
  fmt::print("{} hash entries, all equal\nhash after entry {}: {:016x}\n", done.hashes, done.last,
             done.hash);
  return kOk;
}

}  // namespace

Verb add_replay(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "replay", "Fold a model's journal again, compare every hash in it, print the last one");
  auto given = std::make_shared<ReplayWords>();
  verb->add_option("DATA/MODEL", given->path, "Folder of the model")->required();
  verb->add_flag("--snapshot", given->snapshot, "Begin with the newest intact snapshot");
  verb->add_option("--from", given->from, "Begin with the snapshot at this entry")->type_name("N");
  verb->add_option("--to", given->to, "Stop after this entry (default: the last)")->type_name("N");
  verb->add_flag("--json", given->json, "One JSON object");
  verb->footer(
      "Reads a folder whose service is stopped, or a copy of it, and changes nothing.\n"
      "  rein replay rein-data/routing\n"
      "  rein replay rein-data/routing --snapshot\n"
      "The state is a fold over the journal. The last hash is therefore the one that\n"
      "GET /v1/models/NAME/state?hash=1 had after the same entry, on every machine.\n"
      "Exit code 1: an entry is damaged, a hash disagrees, or a service has the folder open.");
  return [given] { return run(*given); };
}

}  // namespace rein::app

// rein verify-journal: all checksums of a model's journal and snapshots, and one state from all.
#include <fmt/format.h>

#include "streams.h"
#include "tools/journal_check.h"
#include "verbs.h"

namespace rein::app {
namespace {

int run(const std::string& path) {
  const auto folder = typed(serve::model_folder(path));
  const auto check = read_from(serve::check_journal(folder));
  fmt::print("entries    {}, {} of them with a hash\n", check.entries, check.hashes);
  if (!check.unknown_policy.empty()) {
    complain("the state cannot be compared: " + check.unknown_policy);
    if (check.damage.empty()) fmt::print("checksums  all right, and ids and money fold\n");
  }
  for (const std::int64_t position : check.snapshots) {
    fmt::print("snapshot   at entry {}: the same state as the journal\n", position);
  }
  if (check.damage.empty() && check.unknown_policy.empty()) {
    fmt::print("hash       {:016x}, from the beginning and from every snapshot\nsound\n",
               check.hash);
    return kOk;
  }
  for (const std::string& damage : check.damage) complain(damage);
  return kFailed;
}

}  // namespace

Verb add_verify_journal(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "verify-journal", "Check every entry and snapshot of a model, and that all give one state");
  auto path = std::make_shared<std::string>();
  verb->add_option("DATA/MODEL", *path, "Folder of the model")->required();
  verb->footer(
      "Reads a folder whose service is stopped, or a copy of it, and changes nothing. It checks\n"
      "  - the checksum of every entry of the journal and of every snapshot\n"
      "  - every hash in the journal, by folding it from the beginning\n"
      "  - that each snapshot holds the state that the journal gives up to its entry\n"
      "  - that the journal folded from each snapshot ends in the same state\n"
      "  rein verify-journal rein-data/routing\n"
      "Exit code 1: something is damaged, and the place is named. A damaged snapshot costs only\n"
      "time: the service begins with the older one, or with the beginning of the journal. Or this\n"
      "version does not know the policy: then checksums are checked, and no state is compared.");
  return [path] { return run(*path); };
}

}  // namespace rein::app

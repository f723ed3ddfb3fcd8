// rein recover: what is left of a damaged model, and how it goes on without the rest.
#include "tools/recover.h"

#include <fmt/format.h>

#include "verbs.h"

namespace rein::app {
namespace {

using serve::Remains;

struct RecoverWords {
  std::string path;
  bool accept_loss = false, new_ids = false;
};

void print(const Remains& remains) {
  if (remains.has_journal) {
    fmt::print("journal    entries {} to {}\n", remains.first, remains.last);
  }
  if (remains.mark) fmt::print("end mark   entry {}\n", remains.mark->number);
  if (!remains.mark) fmt::print("end mark   missing or damaged\n");
  for (const std::string& damage : remains.damage) fmt::print("damage     {}\n", damage);
  if (!remains.usable) {
    fmt::print("left       nothing that the model could go on from\n");
    return;
  }
  fmt::print("left       the state after entry {}, from {}\n", remains.end,
             remains.snapshot == 0 ? "the beginning"
                                   : fmt::format("the snapshot at entry {}", remains.snapshot));
  if (remains.mark && remains.mark->number > remains.end) {
    fmt::print("lost       entries {} to {}: decisions and outcomes that were answered. New decisions\n"
               "           get other ids, and outcomes of lost ones will be refused\n",
               remains.end + 1, remains.mark->number);
  } else if (!remains.mark) {
    fmt::print("lost       unknown: entries after {} may have been answered\n", remains.end);
  }
  if (remains.kept_from > 1 && remains.kept_from > remains.first) {
    fmt::print("history    entries before {} cannot all be read; the snapshot has what they did\n",
               remains.kept_from);
  }
}

int run(const RecoverWords& given) {
  const serve::ModelFolder folder = serve::folder_of_model(given.path);
  const auto remains = read_from(serve::remains_of(folder));
  print(remains);
  if (remains.damage.empty()) {
    fmt::print("sound\n");
    if (!given.new_ids) return kOk;
    const std::int64_t entry = read_from(serve::give_new_ids(folder));
    fmt::print("After entry {} decisions get ids that no decision had.\n", entry);
    return kOk;
  }
  if (!given.accept_loss) {
    fmt::print("Nothing was changed. {}\n",
               remains.usable ? "With --accept-loss the model goes on from what is left, and the "
                                "present files are kept in its folder."
                              : "Restore the folder from a backup.");
    return kFailed;
  }
  const auto kept = read_from(serve::accept_loss(folder, remains));
  fmt::print("The model goes on after entry {}. The files of before are in {}.\n", remains.end, kept);
  return kOk;
}

}  // namespace

Verb add_recover(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "recover", "Say what is left of a damaged model, and go on without what is lost");
  auto given = std::make_shared<RecoverWords>();
  verb->add_option("DATA/MODEL", given->path, "Folder of the model")->required();
  verb->add_flag("--accept-loss", given->accept_loss,
                 "Go on from what is left; without it nothing is changed");
  verb->add_flag("--new-ids", given->new_ids,
                 "The folder is an old copy: give new decisions ids that none had");
  verb->footer(
      "A model has stopped when entries that were answered are missing or damaged. Restore its folder\n"
      "from a backup if you can. Otherwise look; the service may go on with its other models:\n"
      "  rein recover rein-data/routing\n"
      "It names what is wrong and which entries are lost. Then accept the loss:\n"
      "  rein recover rein-data/routing --accept-loss\n"
      "The model goes on from the newest state that can be read. Files that are damaged or replaced\n"
      "are kept in rein-data/routing/damaged-1. New decisions get ids that none of the lost ones had.\n"
      "A folder from a backup is sound, and nothing in it says what came later. So before it is served:\n"
      "  rein recover rein-data/routing --new-ids\n"
      "It is served again within a minute, or at once by POST /v1/models/routing/reopen.\n"
      "Exit code 0: sound, or the model can go on. 1: something is damaged, or a service has the\n"
      "folder open.");
  return [given] { return run(*given); };
}

}  // namespace rein::app

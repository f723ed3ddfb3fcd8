// rein migrate: a model goes on with another policy, which learns its journal again.
#include "tools/migrate.h"

#include <fmt/format.h>

#include "verbs.h"

namespace rein::app {
namespace {

struct MigrateWords {
  std::string from, to, policy;
};

int run(const MigrateWords& given) {
  const auto from = typed(serve::model_folder(given.from));
  const auto to = typed(serve::trained_place(given.to));
  const auto done = read_from(serve::migrate(from, to, given.policy));
  fmt::print("{} goes on after entry {} of {}\n", given.to, done.entries, from.path);
  fmt::print("policy     {}\nbefore     {}\n", done.is, done.was);
  fmt::print("learned    {} rounds again\n", done.learned);
  if (done.before > 0) {
    fmt::print("forgotten  {} rounds that were learned before this journal began\n", done.before);
  }
  fmt::print("open       {} decisions, under their ids\n", done.open);
  fmt::print("{} request ids are forgotten\nhash {:016x}\n", done.forgotten, done.hash);
  return kOk;
}

}  // namespace

Verb add_migrate(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "migrate", "Let another policy learn a model's journal again, and go on with it");
  auto given = std::make_shared<MigrateWords>();
  verb->add_option("DATA/MODEL", given->from, "Folder of the model")->required();
  verb->add_option("--to", given->to, "New folder in a data folder of rein serve")
      ->required()
      ->type_name("DATA2/NAME");
  verb->add_option("--policy", given->policy, "Its policy from now on (default: that of its document)")
      ->type_name("SPEC");
  verb->footer(
      "Reads a folder whose service is stopped, or a copy of it, and does not change it.\n"
      "  rein migrate rein-data/routing --to rein-new/routing\n"
      "  rein migrate rein-data/routing --to rein-new/routing --policy 'ccb(tuning=auto)'\n"
      "Works without the old policy, so also where this program no longer knows it. Decisions and\n"
      "outcomes are learned again, as rein train learns a log. Money, ids, open decisions and their\n"
      "probabilities stay as they are: outcomes that come late still count. Request ids are "
      "forgotten.\n"
      "docs/compatibility.md says when it is needed.\n"
      "Exit code 1: a journal is damaged, or a service has a folder open.");
  return [given] { return run(*given); };
}

}  // namespace rein::app

// rein backup and rein restore: copies of models, also while they are served, and the way back.
#include "tools/backup.h"

#include <fmt/format.h>

#include "verbs.h"

namespace rein::app {
namespace {

struct BackupWords {
  std::string from, to;
};

int run_backup(const BackupWords& given) {
  int code = kOk;
  const auto models = typed(serve::model_folders(given.from));
  for (const serve::ModelFolder& model : models) {
    if (auto sound = serve::check_backup_place(model, given.to); !sound) throw UsageError(sound.error());
  }
  for (const serve::ModelFolder& model : models) {
    const std::string to = given.to + "/" + model.name;
    const auto done = serve::back_up(model, to);
    if (!done) {  // the others are backed up all the same
      fmt::print(stderr, "rein: {}\n", done.error());
      code = kFailed;
      continue;
    }
    fmt::print("{} has entries {} to {}, {} of them new\n", to, done.value().first, done.value().last,
               done.value().added);
  }
  return code;
}

int run_restore(const BackupWords& given) {
  const auto from = typed(serve::model_folder(given.from));
  const auto to = typed(serve::trained_place(given.to));
  const auto done = read_from(serve::restore_backup(from, to));
  fmt::print("{} goes on after entry {} of {}\n", given.to, done.last, from.path);
  return kOk;
}

}  // namespace

Verb add_backup(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("backup", "Copy models, also while they are served");
  auto given = std::make_shared<BackupWords>();
  verb->add_option("DATA[/MODEL]", given->from, "Data folder of rein serve, or a model in it")->required();
  verb->add_option("--to", given->to, "Folder of the backups")->required()->type_name("DIR");
  verb->footer(
      "DIR/MODEL gets the journal and the newest snapshot of the model. Called again, it adds what came\n"
      "since. Each backup has all that was answered when it was made, and can be read by inspect, replay,\n"
      "verify-journal and export. While a service runs, it gives the entries through a local socket, to its\n"
      "own user and root: run this as one of them, on the same machine or in the same container.\n"
      "  rein backup rein-data --to /backup/rein\n"
      "  rein restore /backup/rein/routing --serve rein-data/routing\n"
      "Exit code 1: a model could not be backed up; the others were.");
  return [given] { return run_backup(*given); };
}

Verb add_restore(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("restore", "Serve a model from its backup");
  auto given = std::make_shared<BackupWords>();
  verb->add_option("MODEL", given->from, "Backup of a model")->required();
  verb->add_option("--serve", given->to, "New folder in a data folder of rein serve")
      ->required()
      ->type_name("DATA/NAME");
  verb->footer(
      "The backup is not changed. What happened after it is lost: new decisions get ids that none had,\n"
      "and outcomes of lost decisions are refused. Move the folder of the damaged model away first.\n"
      "  mv rein-data/routing /damaged\n"
      "  rein restore /backup/rein/routing --serve rein-data/routing\n"
      "A running service opens it within a minute if the model had stopped, or at once by\n"
      "POST /v1/models/routing/reopen; otherwise at its next start.");
  return [given] { return run_restore(*given); };
}

}  // namespace rein::app

// rein renew: a new journal that begins with the last state of another.
#include "tools/renew.h"

#include <fmt/format.h>

#include "verbs.h"

namespace rein::app {
namespace {

struct RenewWords {
  std::string from, to;
};

int run(const RenewWords& given) {
  const auto from = typed(serve::model_folder(given.from));
  const auto to = typed(serve::trained_place(given.to));
  const auto done = read_from(serve::renew(from, to));
  fmt::print("{} begins with the state after entry {} of {}\n", given.to, done.entries, from.path);
  fmt::print("{} request ids are forgotten\nhash {:016x}\n", done.forgotten, done.hash);
  return kOk;
}

}  // namespace

Verb add_renew(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "renew", "Begin a new journal with the last state of one that has grown too large");
  auto given = std::make_shared<RenewWords>();
  verb->add_option("MODEL", given->from, "Folder of the model that was moved away")->required();
  verb->add_option("--serve", given->to, "New folder in a data folder of rein serve")
      ->required()
      ->type_name("DATA/NAME");
  verb->footer(
      "Reads a folder whose service is stopped, or a copy of it, and does not change it. Stop the\n"
      "service, move the folder of the model to an archive, and begin a new one:\n"
      "  mv rein-data/routing /archive/routing-2026\n"
      "  rein renew /archive/routing-2026 --serve rein-data/routing\n"
      "What was learned, open decisions and their ids, budgets and the mode go on. Request ids "
      "are\n"
      "forgotten: a request that is sent again with its old id is a new one.\n"
      "Exit code 1: a journal is damaged, or a service has a folder open.");
  return [given] { return run(*given); };
}

}  // namespace rein::app

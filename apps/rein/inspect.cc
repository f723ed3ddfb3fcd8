// rein inspect: what is in a data folder.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "base/json.h"
#include "journal/log_journal.h"
#include "journal/open_log.h"
#include "serve/verbs.h"
#include "tools/offline.h"
#include "verbs.h"

namespace rein::app {
namespace {

using serve::Model;
using serve::ModelOptions;

// Where a model is: a folder, or a store that several nodes share.
struct Place {
  std::string name, path;
  std::function<Result<std::unique_ptr<Journal>>()> open;
  std::shared_ptr<const Snapshots> snapshots;
  std::string owner;  // a line about its owner; empty for a folder
};

struct SnapshotSeen {
  std::int64_t position = 0;
  std::string damage;  // empty: intact
};

struct Found {
  std::unique_ptr<Model> model;
  std::int64_t first = 0, first_at = 0, last_at = 0;
  std::vector<SnapshotSeen> snapshots;
  std::string unknown_policy;  // why this program cannot make the policy, if so
};

Result<std::int64_t> time_of(const Journal& journal, std::int64_t number) {
  Result<std::int64_t> at = Error{"the journal has no entries", Reason::kCorrupt};
  auto read = journal.read(number, [&](std::int64_t, std::string_view bytes) -> Result<bool> {
    const auto event = serve::decode_event(bytes);
    at = event ? Result<std::int64_t>(event.value().at) : event.failure();
    return false;
  });
  if (!read) return read.failure();
  return at;
}

Result<Found> look_at(const Place& place) {
  Found found;
  auto opened = place.open();
  if (!opened) return opened.failure();
  const Journal& journal = *opened.value();
  const auto first = time_of(journal, journal.first());
  if (!first) return first.failure();
  const auto last = time_of(journal, journal.last());
  if (!last) return last.failure();
  found.first = journal.first();
  found.first_at = first.value();
  found.last_at = last.value();
  const auto positions = place.snapshots->positions();
  if (!positions) return positions.failure();
  for (const std::int64_t position : positions.value()) {
    const auto snapshot = place.snapshots->read(position);
    found.snapshots.push_back({position, snapshot ? "" : snapshot.error()});
  }
  // As the service would open it: from the newest intact snapshot.
  ModelOptions options{.folder = place.path, .wall = {}};
  options.snapshots = place.snapshots;
  auto model = Model::open(place.name, std::move(opened).value(), options);
  if (!model && model.reason() == Reason::kMeaning) {
    found.unknown_policy = model.error();
    auto again = place.open();
    if (!again) return again.failure();
    options.blind = true;
    model = Model::open(place.name, std::move(again).value(), options);
  }
  if (!model) return model.failure();
  found.model = std::move(model).value();
  return found;
}

std::string utc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

void print_budget(const Budget& budget, const BudgetState& state) {
  const auto units = [](std::int64_t micros) { return static_cast<double>(micros) / 1e6; };
  fmt::print("  budget     {}: {} of {} {} spent, {} held ({}{})\n", budget.name,
             units(state.spent), units(state.limit), budget.cost, units(state.held),
             per_of(budget.window), budget.kind == BudgetKind::kHard ? ", hard" : "");
}

// The keys that spent most in the open window; `rein inspect --json` has the first hundred.
void print_keys(const Engine& engine, const Budget& budget) {
  constexpr std::int64_t kShownKeys = 10;
  const auto found = engine.keys(budget.name, {.most = kShownKeys});
  if (!found) return;
  const KeyPage& page = found.value();
  const auto units = [](std::int64_t micros) { return static_cast<double>(micros) / 1e6; };
  fmt::print("  budget     {}: {} {} spent, {} held by {} of {} ({}{})\n", budget.name,
             units(page.spent), budget.cost, units(page.held), page.count, budget.scope,
             per_of(budget.window), budget.kind == BudgetKind::kHard ? ", hard" : "");
  for (const KeyState& key : page.keys) {
    fmt::print("    {:<8} {}: {} of {} spent, {} held\n", budget.scope, serve::key_label(key),
               units(key.spent), units(key.limit), units(key.held));
  }
  const auto others = page.count - static_cast<std::int64_t>(page.keys.size());
  if (others > 0) fmt::print("    and {} more\n", others);
}

void print_state(Model& model) {
  const Engine& engine = model.engine();
  const EngineState state = engine.state();
  const PolicyState policy = engine.policy_state();
  fmt::print("  decisions  {} decided, {} open, {} learned, {} expired, {} cancelled\n",
             state.decided, state.open, state.learned, state.expired, state.cancelled);
  if (!engine.blind()) fmt::print("  reward     {:.10g}\n", policy.reward);
  const auto& costs = engine.policy().shape().costs;
  for (int i = 0; i < state.billed.size(); ++i) {
    fmt::print("  billed     {:.10g} {}\n", state.billed[i],
               costs[static_cast<std::size_t>(i)].name);
  }
  for (const BudgetState& budget : state.budgets) {
    for (const Budget& declared : engine.options().budgets) {
      if (declared.name == budget.name) print_budget(declared, budget);
    }
  }
  for (const Budget& declared : engine.options().budgets) {
    if (!declared.scope.empty()) print_keys(engine, declared);
  }
  if (!engine.blind()) fmt::print("  status     {}\n", name_of(policy.status));
}

void print(const Place& place, Found& found) {
  Model& model = *found.model;
  fmt::print("{}\n", place.name);
  if (!place.owner.empty()) fmt::print("  owner      {}\n", place.owner);
  fmt::print("  document   {}\n", model.state().document);
  fmt::print("  entries    {} to {}\n", found.first, model.committed());
  fmt::print("  time       {} to {}\n", utc(found.first_at), utc(found.last_at));
  for (const SnapshotSeen& snapshot : found.snapshots) {
    fmt::print("  snapshot   at entry {}{}\n", snapshot.position,
               snapshot.damage.empty() ? "" : ": " + snapshot.damage);
  }
  if (found.snapshots.empty()) fmt::print("  snapshot   none\n");
  const PolicyOrigin origin = model.engine().policy_origin();
  fmt::print("  policy     {} (meaning {})\n",
             origin.resolved.empty() ? origin.asked : origin.resolved, origin.meaning);
  print_state(model);
  if (found.unknown_policy.empty()) {
    fmt::print("  hash       {:016x}\n", model.state().hash());
  } else {
    fmt::print("  not shown  what the policy learned: {}\n", found.unknown_policy);
  }
}

std::string json_of(const Place& place, Found& found) {
  Model& model = *found.model;
  JsonWriter json;
  json.begin_object().key("name").value(place.name);
  if (!place.owner.empty()) json.key("owner").value(place.owner);
  json.key("first").value(found.first).key("last").value(model.committed());
  json.key("first_at").value(found.first_at).key("last_at").value(found.last_at);
  json.key("snapshots").begin_array();
  for (const SnapshotSeen& snapshot : found.snapshots) {
    json.begin_object().key("position").value(snapshot.position);
    json.key("intact").value(snapshot.damage.empty());
    if (!snapshot.damage.empty()) json.key("damage").value(snapshot.damage);
    json.end_object();
  }
  json.end_array().key("budgets");
  serve::write_budgets(json, model, {});
  json.key("keys");
  serve::write_all_keys(json, model);
  json.end_object();
  std::string text = json.str();
  text.pop_back();
  if (!found.unknown_policy.empty()) {
    JsonWriter note;
    note.begin_object().key("unknown_policy").value(found.unknown_policy).end_object();
    text += "," + note.str().substr(1, note.str().size() - 2);
    return fmt::format("{},\"document\":{},\"state\":{}}}", text, model.state().document,
                       serve::state(model, {.query = ""}).body);
  }
  return fmt::format("{},\"document\":{},\"state\":{}}}", text, model.state().document,
                     serve::state(model, {.query = "hash=1"}).body);
}

std::vector<Place> places_in_folder(const std::string& path) {
  std::vector<Place> places;
  for (const serve::ModelFolder& folder : typed(serve::model_folders(path))) {
    places.push_back({folder.name, folder.path, [folder] { return serve::open_journal_of(folder); },
                      std::make_shared<SnapshotFiles>(folder.path), ""});
  }
  return places;
}

// The models of a store, read beside the nodes that serve them.
std::vector<Place> places_in_store(const std::string& address) {
  const auto log = typed(open_shared_log(address));
  std::vector<Place> places;
  for (const ClusterView::Model& model : typed(log->beat({})).models) {
    if (model.head.last == 0) continue;
    const auto open = [log, name = model.name]() -> Result<std::unique_ptr<Journal>> {
      auto journal = LogJournal::follow(log, name);
      if (!journal) return journal.failure();
      return std::unique_ptr<Journal>(std::move(journal).value());
    };
    places.push_back({model.name, "", open, std::make_shared<LogSnapshots>(log, model.name),
                      fmt::format("{}, epoch {}{}", model.lease_millis > 0 ? model.holder : "nobody",
                                  model.head.epoch,
                                  model.pinned.empty() ? "" : ", kept on " + model.pinned)});
  }
  return places;
}

int run(const std::string& path, bool as_json) {
  const bool store = path.find("://") != std::string::npos;
  const auto folders = store ? places_in_store(path) : places_in_folder(path);
  int code = kOk;
  std::string list;
  for (const Place& folder : folders) {
    auto found = look_at(folder);
    if (!found && found.reason() == Reason::kFailed) throw Failure(found.failure());
    if (!found) {
      code = kFailed;
      JsonWriter json;
      json.begin_object().key("name").value(folder.name).key("damage").value(found.error());
      list += (list.empty() ? "" : ",") + json.end_object().str();
      if (!as_json) fmt::print("{}\n  damage     {}\n", folder.name, found.error());
      continue;
    }
    if (as_json) {
      list += (list.empty() ? "" : ",") + json_of(folder, found.value());
    } else {
      print(folder, found.value());
    }
  }
  if (as_json) fmt::print("{{\"models\":[{}]}}\n", list);
  return code;
}

}  // namespace

Verb add_inspect(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "inspect", "What a data folder of rein serve holds: models, journals, snapshots, state");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  verb->add_option("DATA", *path, "Data folder, the folder of one model in it (DATA/MODEL), or postgres://..., kafka://...")
      ->required();
  verb->add_flag("--json", *json, "One JSON object");
  auto changes = std::make_shared<bool>(false);
  verb->add_flag("--changes", *changes, "Who changed the models: the names of the tokens")->excludes("--json");
  verb->footer(
      "Reads a folder whose service is stopped, or a copy of it, and changes nothing. Each model "
      "is\n"
      "brought back as the service would do it: from its newest intact snapshot and the journal.\n"
      "  rein inspect rein-data\n"
      "  rein inspect rein-data/routing --json\n"
      "  rein inspect 'postgres://h1,h2/rein'      the models of several nodes, while they serve\n"
      "--json prints {\"models\": [{name, first, last, first_at, last_at, snapshots, budgets, "
      "document,\n"
      "state}]}. first and last are entries of the journal, times are UTC seconds, and state is "
      "what\n"
      "GET /v1/models/NAME/state?hash=1 answers. Budgets per scope are not listed.\n"
      "Exit code 1: a journal is damaged, or a service has the folder open.");
  return [path, json, changes] { return *changes ? print_changes(*path) : run(*path, *json); };
}

}  // namespace rein::app

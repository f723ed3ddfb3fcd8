// rein inspect --changes: who changed a model, when and what.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <variant>

#include "base/json.h"
#include "rein/record.h"
#include "serve/json_in.h"
#include "tools/offline.h"
#include "verbs.h"

namespace rein::app {
namespace {

// The name of the token in the note of an entry; empty: it has none.
std::string maker_of(const std::string& note) {
  if (!note.starts_with("{\"by\":")) return {};
  const Json read = serve::read_json(note);
  const auto* object = std::get_if<Json::Object>(&read.is);
  const auto* name = object == nullptr ? nullptr : std::get_if<std::string>(&object->front().second.is);
  return name == nullptr ? std::string() : *name;
}

// "paused tenant acme", "quarantined batch".
std::string words_of_notice(const std::string& record) {
  const Json read = serve::read_json(record);
  serve::Fields fields(read);
  std::string words = fields.text("what", "notice");
  for (const char* part : {"scope", "key", "caller"}) {
    if (const std::string found = fields.text(part, ""); !found.empty()) words += " " + found;
  }
  return words;
}

std::string change_of(const serve::Event& event) {
  if (event.kind == serve::Event::Kind::kConduct) return "made, or mode, baseline, fallback or clock";
  if (event.kind == serve::Event::Kind::kDocument) return "document";
  if (event.kind == serve::Event::Kind::kNotice) return words_of_notice(event.record);
  const auto record = decode(event.record);
  if (!record) return "unknown";
  if (std::holds_alternative<BudgetRecord>(record.value())) return "budget";
  if (std::holds_alternative<LimitsRecord>(record.value())) return "most_open or expire_after";
  if (std::holds_alternative<ExpectRecord>(record.value())) return "expected costs";
  if (std::holds_alternative<ActionRecord>(record.value())) return "action";
  if (std::holds_alternative<WarmRecord>(record.value())) return "warm start";
  if (std::holds_alternative<ObserveRecord>(record.value())) return "schema, for a warm start";
  return "other";
}

}  // namespace

int print_changes(const std::string& path) {
  for (const serve::ModelFolder& folder : typed(serve::model_folders(path))) {
    fmt::print("{}: entry, time, token, change\n", folder.name);
    const auto journal = typed(serve::open_journal_of(folder));
    journal->read(journal->first(), [](std::int64_t number, std::string_view bytes) -> Result<bool> {
      const auto event = serve::decode_event(bytes);
      if (!event) return event.failure();
      const std::string by = maker_of(event.value().note);
      if (by.empty()) return true;
      fmt::print("  {} {:%Y-%m-%dT%H:%M:%SZ} {} {}\n", number,
                 fmt::gmtime(static_cast<std::time_t>(event.value().at)), by, change_of(event.value()));
      return true;
    }).check();
  }
  return kOk;
}

}  // namespace rein::app

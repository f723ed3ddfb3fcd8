// Decisions with their outcomes, from a journal: one row per decision, in the order in which they
// were complete. A decision is complete when every part of its outcome came, when it was cancelled,
// or when it expired and is no longer remembered (late bills count until then). Decisions that are
// still open come last.
//
// Memory: the open decisions, and at most `remember` expired ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <unordered_map>

#include "tools/offline.h"

namespace rein::serve {

struct ExportRow {
  enum class State { kOpen, kSettled, kExpired, kCancelled };

  State state = State::kOpen;
  DecideRecord decided;
  std::string
      note;      // other members of the answer: `would`, `fallback`, `dropped`; an object, or empty
  Outcome came;  // the reported outcome, with one number per cost
};
std::string_view name_of(ExportRow::State state);

// The names that all rows of a model share.
struct ExportNames {
  const Engine* engine = nullptr;    // for the names of actions
  std::vector<std::string> context;  // one name per number of the context
  bool named = false;                // the context has a schema
  std::vector<std::string> scopes;   // dimensions, in the order of ScopeKeys
  // Names of removed actions: a row may be written when the engine has forgotten them.
  std::unordered_map<std::int32_t, std::string> removed;
};

// csv: the line of names, then one line per row. jsonl, dsjson: one object per line. Lines end in
// \n.
std::string csv_head(const ExportNames& names);
std::string csv_line(const ExportRow& row, const ExportNames& names);
std::string jsonl_line(const ExportRow& row, const ExportNames& names);
std::string dsjson_line(const ExportRow& row, const ExportNames& names);

enum class ExportFormat { kCsv, kJsonl, kDsjson };

using Sink = std::function<Result<>(std::string_view text)>;
struct Exported {
  std::int64_t rows = 0;
  std::string unknown_policy;  // why the model's policy cannot be made, if so; rows do not need it
};
// Writes all rows of the journal. kFailed from the sink is passed on.
Result<Exported> export_journal(const Journal& journal, ExportFormat format, const Sink& sink);

// Calls `each` with every row and the state at that time, and `after` after every entry before that
// entry's rows. Blind: without the policy. Returns the last state.
using EachRow = std::function<Result<>(const ExportRow& row, const ModelState& now)>;
Result<ModelState> read_rows(const Journal& journal, bool blind, const EachRow& each,
                             const AfterEntry& after = {});

}  // namespace rein::serve

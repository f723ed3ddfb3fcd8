// Decisions with what became of them, from a journal: one row per decision, in the order in which
// they were complete. A decision is complete when every part of its outcome came, when it was
// cancelled, or when it expired and is no longer remembered (late bills count until then). Those that
// are still open come last.
//
// Memory: the open decisions, and at most `remember` expired ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/offline.h"

namespace rein::serve {

struct ExportRow {
  enum class State { kOpen, kSettled, kExpired, kCancelled };

  State state = State::kOpen;
  DecideRecord decided;
  std::string
      note;      // what else the answer said: `would`, `fallback`, `dropped`; an object or empty
  Outcome came;  // what was reported; one number per cost
};
std::string_view name_of(ExportRow::State state);

// What rows of one model have in common.
struct ExportNames {
  const Engine* engine = nullptr;    // for the names of actions
  std::vector<std::string> context;  // one name per number of the context
  bool named = false;                // the context has a schema
  std::vector<std::string> scopes;   // dimensions, in the order of ScopeKeys
};

// csv: the line of names, then one per row. jsonl, dsjson: one object per line. Lines end in \n.
std::string csv_head(const ExportNames& names);
std::string csv_line(const ExportRow& row, const ExportNames& names);
std::string jsonl_line(const ExportRow& row, const ExportNames& names);
std::string dsjson_line(const ExportRow& row, const ExportNames& names);

enum class ExportFormat { kCsv, kJsonl, kDsjson };

using Sink = std::function<Result<>(std::string_view text)>;
// Writes all rows of the journal. The result is their number. kFailed from the sink is passed on.
Result<std::int64_t> export_journal(const Journal& journal, ExportFormat format, const Sink& sink);

}  // namespace rein::serve

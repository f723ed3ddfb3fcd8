// A model read without a service: its folder must be a copy, or the service must be stopped. Nothing
// in it is changed. The verbs inspect, replay, verify-journal and export stand on this.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "journal/journal.h"
#include "journal/snapshot_files.h"
#include "serve/model_state.h"

namespace rein::serve {

struct ModelFolder {
  std::string name;
  std::string path;
};

// The models of a data folder, sorted by name, or the single model whose folder `path` is. kInvalid
// if there is none.
Result<std::vector<ModelFolder>> model_folders(const std::string& path);
// The folder of a single model: DATA/MODEL, or DATA if it has only one model.
Result<ModelFolder> model_folder(const std::string& path);
// The folder at `path`, without looking into it: for a model whose journal may be damaged or
// missing.
ModelFolder folder_of_model(const std::string& path);
// Refuses with kFailed while a service has it open.
Result<std::unique_ptr<Journal>> open_journal_of(const ModelFolder& folder);
// Refuses a journal whose first entries are gone.
Result<> check_begins(const Journal& journal);

// An error of this folder with its path, and with the way on where this program does not know the policy.
Error error_of(const ModelFolder& folder, const Error& why);

// Called after each entry, with the state that it made.
using AfterEntry =
    std::function<Result<>(std::int64_t number, const Event& event, const ModelState& state)>;

struct FoldRange {
  const Snapshot* from = nullptr;  // null: from the beginning
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
  bool blind = false;  // without the policy; then no hash is checked
};
// kMeaning if this program cannot make the model's policy as it was; a blind fold does not need it.
// The state after these entries. Every entry with a hash is checked: kSequence if one disagrees, and
// kCorrupt for damage. Messages name the entry.
Result<ModelState> fold_journal(const Journal& journal, const FoldRange& range,
                                const AfterEntry& after = {});

}  // namespace rein::serve

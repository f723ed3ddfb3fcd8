// The priced policy of rein whatif, kept as a model: --save-policy and --serve-policy.
#pragma once

#include <string>

#include "rein/log.h"
#include "rein/priced_policy.h"
#include "serve/document.h"

namespace rein::app {

struct KeepWords {
  std::string file;   // --save-policy
  std::string serve;  // --serve-policy: DATA/NAME
  std::string at;     // --save-at: NAME=AMOUNT
  bool force = false;
  bool wanted() const { return !file.empty() || !serve.empty(); }
};

// Before the work: refuses places that cannot be written. `read` is the log.
void check_keep(const KeepWords& words, const std::string& read);

// The document of the model, in the words of docs/service.md, without its policy: actions, the context
// that the regressions see, costs. `columns` are the names of the numbers of that context. Call it before
// the log is made dense.
struct KeptShape {
  Json::Object document;
  std::vector<std::string> columns;  // of the model, as its schema orders them
};
KeptShape shape_to_keep(const Log& log);

// Writes the model, and returns the sentences that say so. `columns` are the numbers of the context of the
// rows that the policy was fitted on.
std::string keep_policy(const KeepWords& words, KeptShape shape,
                        const std::vector<std::string>& columns, const PricedPolicy& policy);

}  // namespace rein::app

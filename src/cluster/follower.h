// Follower: the state of a model that another node owns, folded as its journal grows. So a takeover
// reads only the entries of the last moments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "journal/log_journal.h"
#include "serve/model.h"

namespace rein::cluster {

class Follower {
 public:
  // From the newest snapshot, or from the first entries. Later entries are not read yet.
  static Result<Follower> open(const std::shared_ptr<SharedLog>& log, const std::string& model);
  // From the state of a model that this node has owned until now.
  static Result<Follower> from(const std::shared_ptr<SharedLog>& log, const std::string& model,
                               serve::FoldedModel folded, std::uint64_t chain);

  // Folds entries that came, about so many bytes. The result is whether there were any. After an error the
  // state is of no use.
  Result<bool> step(std::size_t most_bytes);
  std::int64_t position() const { return folded_.position; }
  std::uint64_t chain() const { return journal_->chain(); }
  serve::FoldedModel take() { return std::move(folded_); }

 private:
  Follower(std::unique_ptr<LogJournal> journal, serve::FoldedModel folded)
      : journal_(std::move(journal)), folded_(std::move(folded)) {}

  std::unique_ptr<LogJournal> journal_;
  serve::FoldedModel folded_;
};

}  // namespace rein::cluster

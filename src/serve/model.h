// Model: one agent of the service, with its journal. One thread uses it, its writer (writer.h).
//
// Requests are answered in groups. call() changes the state in memory and prepares the answer and
// the journal entries; commit() makes the entries of the whole group durable; only then may the
// answers go out. If commit() fails, the model must be discarded: its memory is ahead of the
// journal, and the next opening continues from the durable entries. So nothing is acknowledged that
// could be lost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/server.h"
#include "journal/archived_journal.h"
#include "journal/journal.h"
#include "journal/snapshot_files.h"
#include "serve/archive_job.h"
#include "serve/holding.h"
#include "serve/model_state.h"
#include "serve/snapshot_job.h"
#include "serve/trusted_clock.h"
#include "serve/watch.h"

namespace rein::serve {

struct ModelOptions {
  std::string folder;                    // of snapshots; empty: none are written there
  std::int64_t snapshot_every = 50'000;  // entries
  std::int64_t most_open_bytes = kMostOpenBytes;
  // The wall clock, in UTC seconds. It may jump (trusted_clock.h); the model's clock never goes
  // back by itself. Empty: the model is opened for reading only, and nothing is written.
  std::function<std::int64_t()> wall;
  bool blind = false;  // without its policy (Engine::restore_blind()); only to look at
  std::function<std::int64_t()> steady;  // a monotonic clock; empty: steady_seconds()
  std::int64_t clock_jump_seconds = TrustedClock::kJumpSeconds;
  std::function<std::int64_t()> begins;  // the time of a new model; empty: that of the wall clock
  std::function<void()> confirmed;  // set_clock() was called: somebody says that the wall clock is right
  // For a journal in a store that several nodes share. Where snapshots are, in place of `folder`; and the
  // journal opened once more, to be read in another thread while the model is at work.
  std::shared_ptr<const Snapshots> snapshots;
  std::function<Result<std::unique_ptr<Journal>>()> journal_to_read;
  // Entries older than this leave the journal for an archive, unless the document says otherwise: seconds;
  // 0: none do. The folder of the archive; empty: FOLDER/archive.
  std::int64_t keep_seconds = 0;
  std::string archive;
};

// A journal, and the same object where it has an archive, or null.
struct ModelJournal {
  std::unique_ptr<Journal> whole;
  ArchivedJournal* archived = nullptr;

  ModelJournal() = default;
  explicit ModelJournal(std::unique_ptr<Journal> journal) : whole(std::move(journal)) {}
  ModelJournal(std::unique_ptr<ArchivedJournal> both)  // NOLINT(google-explicit-constructor)
      : whole(std::move(both)), archived(static_cast<ArchivedJournal*>(whole.get())) {}
  // With the archive in this folder, if it is there.
  static Result<ModelJournal> with(std::unique_ptr<Journal> journal, const std::string& archive);
  Journal* operator->() const { return whole.get(); }
};

// The state of a model that was folded up to an entry.
struct FoldedModel {
  ModelState state;
  std::int64_t position = 0;     // the last entry that is folded
  std::int64_t snapshot_at = 0;  // the entry of the newest snapshot; 0: there is none
  std::int64_t snapshot_bytes = 0;
  std::int64_t bytes_since = 0;  // of the entries that were folded since
  double work_since = 0.0;       // seconds that folding them took
  std::vector<std::string> skipped;  // what is wrong with newer snapshots
};
// From the newest intact snapshot that the journal continues, or from the first entries. Later entries are
// not folded.
Result<FoldedModel> first_fold(const Journal& journal, const Snapshots* snapshots, bool blind = false);

// A request to a model.
struct Ask {
  std::string method;
  std::string verb;  // after /v1/models/NAME/: "decide"
  std::string rest;  // after the verb: an id, a name
  std::string query;
  std::string body;
  bool token = false;
  bool only_check = false;  // of apply: says whether it would be done
  std::string by;  // the name of the token; empty: the service's own
  HttpReply* reply = nullptr;  // where the answer will go; null: to nobody whose memory is counted
};

class Model {
 public:
  // A new model from a document; its first entry is committed. Throws Refused for documents that are
  // not accepted.
  static Result<std::unique_ptr<Model>> create(std::string name, const std::string& document,
                                               std::unique_ptr<Journal> journal,
                                               ModelOptions options);
  // Opens a model from its journal and from its newest intact snapshot. skipped_snapshots() says
  // what is wrong with newer ones.
  static Result<std::unique_ptr<Model>> open(std::string name, std::unique_ptr<Journal> journal,
                                             ModelOptions options);
  // The same from a state that was folded before: reads only the entries after it.
  static Result<std::unique_ptr<Model>> resume(std::string name, FoldedModel folded,
                                               std::unique_ptr<Journal> journal, ModelOptions options);
  // The state, for whoever goes on folding when another node answers for the model. REQUIRES that nothing
  // waits to be committed. The model is of no use afterwards.
  FoldedModel give_up();

  // Before a group: moves the clock, lets decisions expire, gives up those nobody activated. If the
  // group changes nothing, the engine's clock moves only when something is due.
  void begin(bool changes = true);
  // Sets the time of the model to the wall clock, even if that is earlier, because somebody
  // confirmed the wall clock. Pushes the entries.
  void set_clock();
  // How far the wall clock is ahead of the model's, when the last group began. Negative: behind.
  std::int64_t clock_lag() const { return clock_lag_; }
  HttpResponse call(const Ask& ask);
  // After a group, before commit(): pushes what people are to be told about it (oversight.h).
  void oversee();
  Result<> commit();
  // For a group that changed nothing: that no other node has taken over, so that what was refused here
  // was not accepted there. A journal that only one process can open needs no such question.
  Result<> confirm();
  const Snapshots* snapshots() const { return options_.snapshots.get(); }
  // After commit(). A snapshot is due when snapshot_every entries came since the last snapshot, and
  // have at least half of its bytes. So large states are not written all the time, and a start
  // reads about as much from the journal as from the snapshot. A snapshot is also due after much
  // work on few entries.
  bool snapshot_due() const;
  // The writer says how long requests took.
  void worked(double seconds) { since_.work_seconds += seconds; }
  // Commits an entry from which a snapshot can be made elsewhere (snapshot_job.h), and returns what it
  // needs.
  Result<SnapshotTask> mark_for_snapshot();
  // Notes that the marked snapshot is in its file. The hash of the snapshot becomes an entry of the
  // next group.
  void snapshot_written(const SnapshotMade& made);
  // Commits the hash of the state, then returns the state and the number of that entry. This takes
  // a pass over the state. It is for the beginning and the end of a service, when nobody waits, and
  // for tests.
  Result<Snapshot> make_snapshot();
  void snapshot_written(const Snapshot& snapshot);
  // Retention (retention.cc): entries older than so many seconds move to the archive; 0: none do. The
  // document says how many, or else the options.
  std::int64_t keep_seconds() const { return keep_; }
  void read_keep();
  Result<ArchiveTask> task_for_archive();
  // The entries are in the archive, and leave the journal. An error as that of a commit.
  Result<> archived(const ArchiveMade& made);
  Result<std::uint64_t> chain_at(std::int64_t number) const { return journal_->chain_at(number); }
  // Committed entries from number `from` up to `to`, or until they have `most_bytes` bytes.
  Result<std::vector<std::string>> read_entries(std::int64_t from, std::int64_t to,
                                                std::size_t most_bytes) const;

  const std::string& name() const { return name_; }
  ModelState& state() { return state_; }
  const ModelState& state() const { return state_; }
  Engine& engine() { return state_.engine; }
  ModelWatch& watch() { return watch_; }
  std::int64_t now() const { return now_; }
  // entries(): the number of the last entry, including those of the present group. snapshot_at():
  // the number of the last entry in a snapshot.
  std::int64_t entries() const;
  std::int64_t committed() const { return journal_->last(); }
  std::int64_t first_entry() const { return journal_->first(); }  // in the journal or its archive
  std::int64_t first_kept() const {  // in the journal
    return journal_.archived != nullptr ? journal_.archived->first_kept() : journal_->first();
  }
  std::int64_t archive_bytes() const {  // of the files of the archive
    return journal_.archived != nullptr ? journal_.archived->archive().file_bytes() : 0;
  }
  std::int64_t snapshot_at() const { return snapshot_at_; }
  std::int64_t snapshot_bytes() const { return snapshot_bytes_; }
  // The size of a file of the model's folder; 0 if there is none.
  std::int64_t file_bytes(const std::string& file) const;
  const std::vector<std::string>& skipped_snapshots() const { return skipped_; }
  // The status of the policy when the group began.
  std::string_view status() const { return status_; }
  // The baseline answers instead of the policy, and why: the mode, or a status. Empty: it does not.
  std::string_view baseline_because() const;

  // The approximate bytes of open decisions: their number times the mean of the latest decisions.
  std::int64_t open_bytes() const { return open_count_ * decision_bytes_; }
  std::int64_t most_open_bytes() const { return options_.most_open_bytes; }
  // A decision was made whose record has so many bytes.
  void decided(std::size_t record_bytes);

  // For verbs: adds an entry, after the engine made the change that it holds.
  void push(Event event);
  // Pushes an entry of kind kNotice, and says so in the log.
  void push_notice(const std::string& record, const RequestMark& mark = {}, const HttpResponse& answer = {});
  // The request that is being answered; null between requests.
  const Ask* asked() const { return asked_; }
  // Pushes an entry with the record that the engine has just made. `mark` and the answer may be
  // empty.
  void push_record(std::uint64_t id, const RequestMark& mark, const HttpResponse& answer,
                   std::string note = {});
  RequestMark mark_of(const std::string& request_id, const Ask& ask) const;
  // Finds the answer that the same request got before; returns false if the request is new. Throws
  // Refused if the request came before with another body.
  bool answered(const RequestMark& mark, HttpResponse& answer) const;
  // The entry with this number, committed or not.
  Result<Event> entry(std::int64_t number) const;
  // Reads an entry for the answer to a repeated request. Throws Refused if the entry is damaged.
  Event entry_of_request(std::int64_t number) const;

 private:
  Model(std::string name, ModelState state, ModelJournal journal, ModelOptions options);
  static Result<std::unique_ptr<Model>> resume_with(std::string name, FoldedModel folded, ModelJournal journal,
                                                    ModelOptions options);
  Result<> catch_up(std::int64_t position);
  // Commits an entry from which on records are folded by the newest rules, if the state has older.
  Result<> adopt_rules();
  void give_up_deferred();
  void oversee_account(int i, const ScopeKeys& keys);
  void oversee_status();
  void oversee_callers();
  void read_clock();
  void tick();  // to now_
  // Whether a decision or a run expires or a window ends by now.
  bool due() const;

  std::string name_;
  const Ask* asked_ = nullptr;
  std::string by_;  // whose change is being made: the name of the token, or empty
  ModelState state_;
  ModelJournal journal_;
  std::int64_t keep_ = 0;  // seconds
  ModelOptions options_;
  ModelWatch watch_;
  TrustedClock clock_;
  bool clocks_apart_ = false;  // and the log says so
  std::int64_t clock_lag_ = 0;
  std::int64_t now_ = 0;            // the clock of the service
  std::int64_t ticked_ = 0;         // the clock of the engine
  std::int64_t snapshot_at_ = 0;  // position of the last snapshot that is in its file
  std::int64_t snapshot_bytes_ = 0;
  // The bytes of the entries since a snapshot, and the time that their requests took. since_ counts
  // from the last snapshot, since_until_mark_ up to the mark of the snapshot that is being made.
  struct Since {
    std::int64_t bytes = 0;
    double work_seconds = 0.0;
  };
  Since since_, since_until_mark_;
  double snapshot_seconds_ = 0.0;  // seconds that the last snapshot took
  std::int64_t open_count_ = 0;    // open decisions when the group began, and those made since
  std::int64_t decision_bytes_ = 0;
  std::vector<std::string> skipped_;
  std::string_view status_ = "ok";
  std::vector<std::string> pending_;  // entries of the present group
  std::size_t pending_count_ = 0;
  std::vector<std::string_view> views_;
};

}  // namespace rein::serve

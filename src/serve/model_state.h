// ModelState: everything about a model that its journal decides. The state is a fold over the
// entries: the running service and the tools that read a journal later have the same state, to the
// bit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rein/engine.h"
#include "serve/document.h"
#include "serve/event.h"
#include "serve/oversight.h"
#include "serve/requests.h"

namespace rein::serve {

class ModelState {
 public:
  // From the first entry of a journal. Blind: without the policy (Engine::restore_blind()).
  static Result<ModelState> created(const Event& event, bool blind = false);
  // The first entry of a new model.
  static Event creation(const ModelPlan& plan, const Engine& engine, std::string document,
                        std::int64_t at);
  // The first entry of a journal that goes on from this state. Requests and notes are left out.
  Event continuation() const;

  // Applies an entry. kSequence if the entry has another hash than the state; the message names the
  // entry.
  Result<> fold(std::int64_t number, const Event& event);
  // Applies the part of an entry that the engine does not, after the engine itself has made the
  // change.
  void follow(std::int64_t number, const Event& event);

  // A hash of everything that later answers depend on. It takes a pass over the state.
  std::uint64_t hash() const;
  // A hash of the counts, the money and the totals: it finds most differences, and takes microseconds.
  std::uint64_t fingerprint() const;
  // The hash that a later entry of kind kHashAt has to name. REQUIRES that the last entry that was
  // folded here is of kind kMarked.
  std::uint64_t marked_hash() const { return marked_hash_; }
  std::string save() const;
  static Result<ModelState> restore(std::string_view bytes, bool blind = false);

  // A key for digests, from the secret of the engine.
  std::uint64_t key() const { return engine.options().secret[0] ^ engine.options().seed; }

  Engine engine;
  std::string document;    // as it was given, in JSON
  std::int64_t began = 0;  // when it was made
  Conduct conduct;
  Hashed hashed;
  Requests requests;
  Oversight oversight;
  std::map<std::uint64_t, std::int64_t> deferred;  // decisions not yet activated, and their time
  std::map<std::uint64_t, std::string> notes;      // of open decisions; nothing depends on them
  // The last decisions and the journal entries that made them, since this state was folded or restored:
  // GET explain reads them there. Nothing depends on them.
  static constexpr std::size_t kLastDecisions = 4096;
  std::vector<std::pair<std::uint64_t, std::int64_t>> last_decisions;
  std::int64_t entry_of(std::uint64_t id) const;  // -1: it is not one of those

 private:
  void note_decision(std::int64_t number, std::uint64_t id);
  explicit ModelState(Engine made);
  void read_plan();  // of the oversight, from the document
  void read_conduct_text(const std::string& text);
  void read_deferred(const std::string& text);
  Result<> check_hashes(std::int64_t number, const Event& event);

  std::size_t last_decision_ = 0;
  // The last entry of kind kMarked that was folded here, and the hash of the state after it.
  std::int64_t marked_at_ = 0;
  std::uint64_t marked_hash_ = 0;
};

// The conduct in the form of an entry of kind kConduct.
std::string to_text(const Conduct& conduct);

}  // namespace rein::serve

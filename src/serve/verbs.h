// The verbs of a model: what /v1/models/NAME/VERB does. The table (verbs.cc) is what the router, the
// answers about methods and the tests of the API document read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "serve/model.h"

namespace rein::serve {

struct Verb {
  std::string_view method;
  std::string_view name;  // "decide"
  bool takes_rest;        // followed by an id or a name: explain/ID
  HttpResponse (*run)(Model& model, const Ask& ask);
  // The verb ends decisions, so its requests go before all others when too much work waits.
  bool comes_first = false;
  // Of which a token needs one. kNoRole: kReadRole for GET, and otherwise kAdminRole.
  unsigned roles = kNoRole;
};
std::span<const Verb> verbs();
bool comes_first(const Ask& ask);
// Only an admin may do it, and the journal names the token.
bool is_change(const Ask& ask);
// Runs the verb. Refuses unknown verbs (404) and other methods (405). Throws Refused.
HttpResponse run_verb(Model& model, const Ask& ask);

// decide.cc
HttpResponse decide(Model& model, const Ask& ask);
// outcome.cc
HttpResponse outcome(Model& model, const Ask& ask);
HttpResponse activate(Model& model, const Ask& ask);
HttpResponse cancel(Model& model, const Ask& ask);
// reading.cc
HttpResponse state(Model& model, const Ask& ask);
HttpResponse budgets(Model& model, const Ask& ask);
HttpResponse open(Model& model, const Ask& ask);
HttpResponse explain(Model& model, const Ask& ask);
HttpResponse document(Model& model, const Ask& ask);
// apply.cc
HttpResponse apply(Model& model, const Ask& ask);
HttpResponse actions(Model& model, const Ask& ask);
// keys.cc
HttpResponse keys(Model& model, const Ask& ask);
HttpResponse windows(Model& model, const Ask& ask);
// runs.cc
HttpResponse open_run(Model& model, const Ask& ask);
HttpResponse close_run(Model& model, const Ask& ask);
HttpResponse one_run(Model& model, const Ask& ask);
HttpResponse runs(Model& model, const Ask& ask);
// live.cc
HttpResponse live(Model& model, const Ask& ask);
HttpResponse decisions(Model& model, const Ask& ask);
// changes.cc
HttpResponse change_budget(Model& model, const Ask& ask);
HttpResponse expect(Model& model, const Ask& ask);
HttpResponse add_action(Model& model, const Ask& ask);
HttpResponse remove_action(Model& model, const Ask& ask);
HttpResponse change_conduct(Model& model, const Ask& ask);
HttpResponse warm_start(Model& model, const Ask& ask);
// oversight_verbs.cc
HttpResponse notices(Model& model, const Ask& ask);
HttpResponse pause(Model& model, const Ask& ask);
HttpResponse resume(Model& model, const Ask& ask);
HttpResponse quarantine(Model& model, const Ask& ask);
// rank.cc
HttpResponse rank(Model& model, const Ask& ask);
HttpResponse rank_event(Model& model, const Ask& ask);

// Shared by verbs.

// The id of a decision or a run: 16 hex digits.
std::string hex(std::uint64_t id);
std::uint64_t id_of(const Json& given, const std::string& field, std::string_view what = "a decision");
inline constexpr std::size_t kMostRequestId = 128;  // bytes
// Reads request_id. `text` is the body that it came with.
RequestMark read_mark(Model& model, Fields& fields, std::string_view verb, std::string_view text);
// Decides a round that was read, pushes the entry, and returns the answer. `write` may replace the
// body of the answer before it is stored.
struct RoundIn;
struct DecideAsk {
  RequestMark mark;
  bool activate = true;
  int status = 200;
};
using WriteAnswer = std::function<std::string(const Engine::Decision& decision, const Round& round,
                                              const std::string& usual)>;
HttpResponse decide_round(Model& model, RoundIn& in, const DecideAsk& ask,
                          const WriteAnswer& write = {});
// A parameter of a query that is a whole number. Throws Refused.
std::int64_t whole_in(const std::string& name, const std::string& value);
// Seconds after which a decision or a top-up for these scopes may find room that was refused as full.
std::int64_t wait_for_room(Model& model, std::span<const Scope> scopes);
// Applies an outcome by id, and returns applied, duplicate, late or forgotten.
std::string_view apply_outcome(Model& model, std::uint64_t id, const Outcome& outcome,
                               const RequestMark& mark, HttpResponse& answer);
// Refuses a decision of a model or of a key that is paused.
void check_pause(const Model& model, std::span<const Scope> scopes);
// Learns what the oversight lets the policy learn of an outcome. `note` says who reported it, for the entry;
// it stays empty where callers are not compared.
Result<LearnResult> learn_judged(Model& model, std::uint64_t id, const Outcome& outcome, std::string& note);
// Members of an object: how many notices there are, what is paused and quarantined, and the callers.
void write_oversight(JsonWriter& json, const Model& model);
// Whether a body is the batch form: this key and no other. Refuses it beside other keys.
bool has_only(const Json::Object* object, std::string_view name);
// Runs the same for every entry of a list. Each has its own status in the answer.
HttpResponse each_of(std::span<const Json> list, std::string_view name, std::string_view result,
                     const std::function<HttpResponse(const Json&, const std::string&)>& run);
// The decision that a caller's request made. Throws Refused. `field` is the name of the field in
// the request.
std::uint64_t decision_of_request(Model& model, const std::string& request_id, bool token,
                                  std::string_view field);
// The budgets that apply to these scopes, as a list.
void write_budgets(JsonWriter& json, Model& model, std::span<const Scope> scopes);
// The keys of a budget, and the first of every budget that has keys.
void write_keys(JsonWriter& json, Model& model, const Budget& budget, const KeyQuery& query);
void write_all_keys(JsonWriter& json, Model& model);
std::string key_label(const KeyState& key);
void write_summary(JsonWriter& json, Model& model);  // what lists of models show
std::string live_object(Model& model, bool whole);
std::string stopped_live_object(const std::string& name, const std::string& why);

}  // namespace rein::serve

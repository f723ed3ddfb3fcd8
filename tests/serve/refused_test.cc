// A request that is refused changes nothing: the state in memory stays the fold of the journal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serve/model_life.h"

namespace rein::serve {
namespace {

constexpr const char* kRefusedDocument =
    R"({"actions":[10,20],"context":{"age":"number","country":"category"},"costs":{"dollars":[0,1]},
        "reward":[0,1],"largest_costs":[0.1,0.2],"expected_costs":[0.1,0.2],"seed":3,
        "budgets":[{"name":"day","cost":"dollars","amount":50,"hard":true,"per":"day"},
                   {"name":"each","cost":"dollars","amount":5,"per":"day","scope":"tenant"}]})";

struct Bad {
  const char* method;
  const char* verb;
  const char* rest;
  const char* body;
  int status;
};

constexpr Bad kBad[] = {
    {"PATCH", "budgets", "", R"({"budget":"day","amount":7,"scopes":{"nobody":"x"}})", 400},
    {"PATCH", "budgets", "", R"({"budget":"day","rounds":7,"scopes":{"nobody":"x"}})", 400},
    {"PATCH", "budgets", "", R"({"budget":"day","top_up":7,"scopes":{"nobody":"x"}})", 400},
    {"PATCH", "budgets", "", R"({"budget":"day","window":"new"})", 400},
    {"PATCH", "budgets", "", R"({"budget":"day","amount":7,"rounds":7})", 400},
    {"PATCH", "budgets", "", R"({"budget":"none","amount":7})", 400},
    {"POST", "expect", "", R"({"expected_costs":[0.1]})", 400},
    {"POST", "expect", "", R"({"expected_costs":[0.1,-1e300]})", 400},
    {"POST", "actions", "", R"({"name":"thirty","largest_costs":0.1,"expected_costs":0.1})", 400},
    {"POST", "actions", "", R"({"name":30,"expected_costs":0.1})", 400},
    {"POST", "actions", "", R"({"name":30,"largest_costs":0.1})", 400},
    {"POST", "actions", "", R"({"largest_costs":0.1,"expected_costs":0.1})", 400},
    {"POST", "actions", "", R"({"name":10,"largest_costs":0.1,"expected_costs":0.1})", 400},
    {"DELETE", "actions", "30", "", 404},
    {"PATCH", "", "", R"({"mode":"shadow"})", 400},
    {"PATCH", "", "", R"({"mode":"shadow","baseline":30})", 400},
    {"POST", "warm_start", "", R"({"rounds":[]})", 400},
    {"POST", "warm_start", "", R"({"rounds":[{"context":{"age":1,"country":"DE"},"action":30}]})",
     400},
    {"POST", "warm_start", "",
     R"({"rounds":[{"context":{"age":1,"country":"DE"},"action":10,"reward":1,"costs":0.1},
                   {"context":{"age":1,"country":"FR"},"action":10,"reward":7,"costs":0.1}]})",
     400},
    {"POST", "decide", "", R"({"context":{"age":1}})", 400},
    {"POST", "decide", "", R"({"context":{"age":1,"country":"IT"},"scopes":{"nobody":"x"}})", 400},
    {"POST", "decide", "", R"({"context":{"age":1,"country":"IT"},"most_costs":0.01})", 429},
    {"POST", "outcome", "", R"({"id":"0000000000000000","reward":1})", 404},
    {"POST", "cancel", "", R"({"id":"0000000000000000"})", 404},
    {"POST", "activate", "", R"({"id":"0000000000000000"})", 404},
};

class RefusedTest : public testing::Test {
 protected:
  HttpResponse ask(const Ask& ask) {
    model_->begin();
    HttpResponse answer = model_->call(ask);
    model_->commit().check();
    return answer;
  }

  std::int64_t wall_ = 1'774'746'000;
  std::shared_ptr<Journal> journal_ = make_memory_journal();
  std::unique_ptr<Model> model_ =
      Model::create("m", kRefusedDocument, std::make_unique<LentJournal>(journal_),
                    {.folder = "", .wall = [this] { return wall_; }})
          .value();
};

TEST_F(RefusedTest, ChangesNothing) {
  ask(post("decide", R"({"context":{"age":1,"country":"DE"},"scopes":{"tenant":"a"}})"));
  for (const Bad& bad : kBad) {
    SCOPED_TRACE(testing::Message() << bad.method << " " << bad.verb << " " << bad.body);
    const std::uint64_t hash = model_->state().hash();
    const std::int64_t entries = journal_->last();
    const HttpResponse answer = ask({.method = bad.method,
                                     .verb = bad.verb,
                                     .rest = bad.rest,
                                     .body = bad.body,
                                     .token = true});
    EXPECT_EQ(answer.status, bad.status) << answer.body;
    EXPECT_EQ(model_->state().hash(), hash);
    EXPECT_EQ(journal_->last(), entries);
  }
  EXPECT_EQ(hash_of_fold(*journal_), model_->state().hash());
}

}  // namespace
}  // namespace rein::serve

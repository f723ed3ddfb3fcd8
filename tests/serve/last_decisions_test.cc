#include "serve/last_decisions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "asking.h"

namespace rein::serve {
namespace {

constexpr const char* kDecidePath = "/v1/models/m/decide";
constexpr const char* kOutcomePath = "/v1/models/m/outcome";
constexpr const char* kDecisionsPath = "/v1/models/m/decisions";

// Against a plain model: the last thousand of all, by id. Few low bits, so that chains are long.
RC_GTEST_PROP(LastDecisions, AreTheLastThousand, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 3'500);
  const auto bits = *rc::gen::inRange(1, 64);
  LastDecisions last;
  std::vector<std::uint64_t> ids;
  for (std::size_t n = 0; n < count; ++n) {
    ids.push_back(((n + 1) << static_cast<unsigned>(bits)) | (n + 1) >> static_cast<unsigned>(64 - bits));
    last.add(ids.back()).at = static_cast<std::int64_t>(n);
  }
  RC_ASSERT(last.size() == std::min(count, LastDecisions::kMost));
  std::map<std::uint64_t, std::int64_t> expected;  // of ids that came twice the later one
  for (std::size_t n = count - last.size(); n < count; ++n) expected[ids[n]] = static_cast<std::int64_t>(n);
  for (std::size_t n = 0; n < count; ++n) {
    const LastDecision* found = last.find(ids[n]);
    const auto known = expected.find(ids[n]);
    RC_ASSERT((found != nullptr) == (known != expected.end()));
    if (found != nullptr) RC_ASSERT(found->at == known->second);
  }
  for (std::size_t back = 0; back < last.size(); ++back) RC_ASSERT(last.newest(back).id == ids[count - 1 - back]);
  RC_ASSERT(last.find(~std::uint64_t{0}) == nullptr);
}

TEST(LastDecisionsText, HasAllWordsInAnyCase) {
  EXPECT_TRUE(has_words("2c3d large settled tenant=Acme", "ACME large"));
  EXPECT_TRUE(has_words("2c3d large", ""));
  EXPECT_TRUE(has_words("2c3d large", " large  "));
  EXPECT_FALSE(has_words("2c3d large", "large small"));
}

TEST(LastDecisionsVerb, FindsDecisionsByActionTenantStateAndId) {
  Asking service;
  service.get("PUT", kModelPath, R"({"actions":["small","large"],"context":1,"costs":["dollars"],"seed":3,
      "budgets":[{"name":"b","cost":"dollars","amount":9,"per":"day","scope":"tenant"}]})");
  std::map<std::string, std::string> action_of;
  std::string last;
  for (int i = 0; i < 30; ++i) {
    const std::string scope = i % 3 == 0 ? "acme" : "beta";
    const Json made = service.get("POST", kDecidePath,
                                  R"({"context":[1],"scopes":{"tenant":")" + scope + R"("}})");
    last = text_in(made, "id");
    action_of[last] = text_in(made, "action");
  }
  service.get("POST", kOutcomePath,
              R"({"id":")" + last + R"(","reward":0.5,"costs":{"dollars":0.25}})");
  const auto search = [&](const std::string& words) {
    return read_json(
        service.ask({.method = "GET", .path = kDecisionsPath, .query = words}).body);
  };
  const auto all = [](const Json& found) { return std::get<Json::List>(member(found, "decisions").is); };
  EXPECT_EQ(all(search("")).size(), 30u);
  EXPECT_EQ(all(search("most=7")).size(), 7u);
  EXPECT_EQ(member(search("most=7"), "found").str(), "30");
  EXPECT_EQ(all(search("search=tenant%3Dacme")).size(), 10u);
  for (const Json& each : all(search("search=large"))) EXPECT_EQ(action_of.at(text_in(each, "id")), "large");
  const Json::List settled = all(search("search=SETTLED"));
  ASSERT_EQ(settled.size(), 1u);
  EXPECT_EQ(text_in(settled[0], "id"), last);
  EXPECT_EQ(member(settled[0], "reward").str(), "0.5");
  EXPECT_EQ(member(settled[0], "costs").str(), "[0.25]");
  EXPECT_EQ(all(search("search=" + last)).size(), 1u);
  EXPECT_EQ(service.ask({.method = "GET", .path = kDecisionsPath, .query = "words=a"}).status, 400);
}

}  // namespace
}  // namespace rein::serve

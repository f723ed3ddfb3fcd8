// The computed size of a model, against its real size, over policies and oracles.
#include "serve/model_size.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <fstream>

#include "asking.h"
#include "serve/document.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

struct SizeCase {
  const char* document;
  double at_most;  // times the real size that the computed one may be, beside 2 MiB
};

// What malloc has given out. Zero under sanitizers, which have their own.
double given_out() {
  const auto now = ::mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd);
}

// The larger one of an engine's memory, with what it works in, and its saved state.
double real_bytes(const ModelPlan& plan) {
  const double before = given_out();
  const Engine engine = make_engine(plan).value();
  const double made = given_out() - before;
  return std::max(made, static_cast<double>(engine.snapshot().size()));
}

ModelPlan sized_plan(const std::string& document) { return read_document(read_json(document)); }

const SizeCase kSizes[] = {
    {R"j({"actions":2,"context":2})j", 2},
    {R"j({"actions":100,"context":10})j", 2},
    {R"j({"actions":1000,"context":10})j", 2},
    {R"j({"actions":1000,"context":70})j", 2},
    {R"j({"actions":100,"context":50})j", 2},
    {R"j({"actions":100,"context":280})j", 2},
    {R"j({"actions":20,"context":600})j", 2},
    {R"j({"actions":1,"context":1500})j", 2},
    {R"j({"actions":1,"context":2000})j", 2},
    {R"j({"actions":10,"action_features":500})j", 2.5},
    {R"j({"actions":10,"action_features":30,"context":30})j", 2.5},
    {R"j({"actions":2000,"action_features":20,"context":20})j", 4},
    {R"j({"actions":50000})j", 4},
    {R"j({"actions":50000,"context":3})j", 3},
    {R"j({"actions":50000,"action_features":5})j", 10},  // most of it is working memory
    {R"j({"actions":100,"hashed":{"context":30,"features":30}})j", 2.5},
    {R"j({"actions":100,"context":50,"reward":[0,1],"costs":{"c":[0,1]},
         "budgets":[{"name":"d","cost":"c","amount":1,"per":"day"}]})j",
     2},
    {R"j({"actions":200,"context":20,"reward":[0,1],"costs":{"a":[0,1],"b":[0,1]},
         "budgets":[{"name":"d","cost":"a","amount":1,"per":"day"},
                    {"name":"e","cost":"b","amount":1,"per":"day"}]})j",
     2},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=vaw)"})j", 2},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=vaw(memory=auto))"})j", 2},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=vaw(features=both))"})j", 2},
    {R"j({"actions":10,"context":30,"action_features":30,"policy":"ccb(oracle=vaw(features=joint))"})j",
     3},
    {R"j({"actions":10,"context":30,"action_features":30,"policy":"ccb(oracle=vaw(features=per_action))"})j",
     3},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=kernel)"})j", 2},
    {R"j({"actions":20,"context":50,"policy":"ccb(oracle=kernel(size=256,kind=dictionary))"})j", 2},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=stack)"})j", 2},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=stack(of=[vaw,vaw,kernel(size=64)]))"})j",
     2},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=auto(of=kernel(size=64)))"})j", 2},
    {R"j({"actions":100,"context":50,"policy":"ccb(oracle=pair(reward=vaw,cost=vaw))"})j", 3},
    {R"j({"actions":100,"context":50,"reward":[0,1],"policy":"ccb(oracle=ons)"})j", 2.5},
    {R"j({"actions":100,"context":50,"reward":[0,1],"policy":"ccb(oracle=adagrad)"})j", 4},
    {R"j({"actions":100,"context":50,"reward":[0,1],"policy":"ccb(oracle=mlp)"})j", 2},
    {R"j({"actions":100,"context":50,"reward":[0,1],"policy":"ccb(oracle=mlp(hidden=[64,16]))"})j",
     2},
    {R"j({"actions":20,"context":10,"policy":"ccb(oracle=forest)"})j",
     2},  // trees that are full grown
    {R"j({"actions":20,"context":10,"policy":"ccb(oracle=forest(trees=4,tests=30))"})j", 2},
    {R"j({"actions":100,"context":50,"policy":"greedy"})j", 2.5},
    {R"j({"actions":100,"context":50,"reward":[0,1],"policy":"squarecb"})j", 2.5},
    {R"j({"actions":100,"context":50,"reward":[0,1],"policy":"epsilon"})j", 2.5},
    {R"j({"actions":100,"context":50,"policy":"uniform"})j", 100},
};

TEST(ModelSize, IsAnUpperBoundWithinASmallFactorOfTheRealSize) {
  constexpr double kBesides = 3 << 20;
  for (const SizeCase& one : kSizes) {
    SCOPED_TRACE(one.document);
    const ModelPlan plan = sized_plan(one.document);
    const double real = real_bytes(plan);
    EXPECT_GE(model_bytes(plan), real);
    if (given_out() > 0.0) {
      EXPECT_LE(model_bytes(plan), one.at_most * real + kBesides) << real;
    }
  }
}

std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) << 10;
  }
  return 0;
}

// 4 GB for the factors alone.
TEST(ModelSize, AModelThatIsTooLargeIsRefusedBeforeItTakesMemory) {
  Asking asking;
  const std::int64_t before = peak_bytes();
  for (const char* document :
       {R"j({"actions":1000,"context":1000})j", R"j({"actions":1000000})j",
        R"j({"actions":10,"context":4000,"action_features":4000})j",
        R"j({"actions":1000,"context":1000,"policy":"ccb(oracle=stack)"})j",
        R"j({"actions":16,"context":10,"policy":"ccb(oracle=kernel(size=4096))"})j",
        R"j({"actions":1000,"hashed":{"context":1000,"features":1000}})j"}) {
    const HttpResponse got = asking.ask("PUT", "/v1/models/large", document);
    EXPECT_EQ(got.status, 400) << document << got.body;
    EXPECT_THAT(got.body, HasSubstr("MiB with this policy; accepted: at most 96"));
  }
  EXPECT_LT(peak_bytes() - before, 256 << 20);
}

TEST(ModelSize, AModelThatIsThereGrowsNoFurther) {
  Asking asking;
  const std::string document = R"j({"actions":2,"context":1900,"policy":"ccb(oracle=vaw)"})j";
  asking.get("PUT", "/v1/models/m", document);
  HttpResponse got;
  for (int i = 0; i < 20 && got.status < 300; ++i) {
    got = asking.ask("POST", "/v1/models/m/actions", "{}");
  }
  EXPECT_EQ(got.status, 400);
  EXPECT_THAT(got.body, HasSubstr("accepted: at most 96"));
}

TEST(ModelSize, AllModelsTogetherHaveABound) {
  Asking asking(1'800'000'000, 24 << 20);
  int made = 0;
  HttpResponse got;
  for (; made < 100; ++made) {
    got =
        asking.ask("PUT", fmt::format("/v1/models/m{}", made), R"j({"actions":100,"context":50})j");
    if (got.status >= 300) break;
  }
  EXPECT_GT(made, 1);
  EXPECT_LT(made, 20);
  EXPECT_EQ(got.status, 503);
  EXPECT_THAT(got.body, HasSubstr("accepted: 24 MiB together (most_model_bytes)"));
  EXPECT_EQ(asking.ask("GET", "/v1/models").status, 200);
}

}  // namespace
}  // namespace rein::serve

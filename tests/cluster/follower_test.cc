// What a follower knows of the work that a start from the newest snapshot would be.
#include "cluster/follower.h"

#include <gtest/gtest.h>

#include "journal/memory_log.h"

namespace rein::cluster {
namespace {

serve::ModelOptions follower_test_options(const std::shared_ptr<SharedLog>& log) {
  serve::ModelOptions options;
  options.wall = options.steady = [] { return std::int64_t{1'800'000'000}; };
  options.snapshots = std::make_shared<LogSnapshots>(log, "m");
  options.journal_to_read = [log]() -> Result<std::unique_ptr<Journal>> {
    return std::unique_ptr<Journal>(LogJournal::follow(log, "m").value());
  };
  return options;
}

// Models that move often would otherwise get no snapshot for a long time: each owner would count from zero,
// and a node that comes back would fold for seconds before it can take over.
TEST(FollowerTest, FoldingCountsTowardsTheNextSnapshot) {
  const std::shared_ptr<SharedLog> log = make_memory_log([] { return std::int64_t{1'800'000'000'000}; });
  auto model = serve::Model::create("m", R"({"actions":2,"context":1})", LogJournal::claim(log, "m", "a", true).value(),
                                    follower_test_options(log))
                   .value();
  for (int i = 0; i < 200; ++i) {
    model->begin();
    EXPECT_EQ(model->call({.method = "POST", .verb = "decide", .body = R"({"context":[0.5]})"}).status, 200);
    model->commit().check();
  }
  model.reset();
  auto follower = Follower::open(log, "m").value();
  while (follower.step(1 << 16).value()) {
  }
  serve::FoldedModel folded = follower.take();
  EXPECT_GT(folded.work_since, 0.0);
  EXPECT_LT(folded.work_since, 1.0);
  folded.work_since += 1.0;
  auto next = serve::Model::resume("m", std::move(folded), LogJournal::claim(log, "m", "b", false).value(),
                                   follower_test_options(log))
                  .value();
  next->begin();
  EXPECT_EQ(next->call({.method = "POST", .verb = "decide", .body = R"({"context":[0.5]})"}).status, 200);
  next->commit().check();
  EXPECT_TRUE(next->snapshot_due());
  EXPECT_GT(next->give_up().work_since, 1.0);  // and towards that of the owner after it
}

}  // namespace
}  // namespace rein::cluster

// Which node should own which model: every node computes it alone, and all must agree.
#include "cluster/plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace rein::cluster {
namespace {

constexpr std::chrono::milliseconds kLease{1000};
using Owners = std::map<std::string, std::string>;

// Models and their holders; all of them with entries.
ClusterView view_of(const std::vector<std::pair<std::string, std::int64_t>>& nodes,
                    const std::vector<std::pair<std::string, std::string>>& models) {
  ClusterView view;
  for (const auto& [name, age] : nodes) view.nodes.push_back({name, name + ":80", age, {}});
  for (const auto& [name, holder] : models) {
    view.models.push_back({name, holder, holder.empty() ? 0 : 500, "", {.last = 5000}});
  }
  return view;
}

TEST(PlanTest, ModelsWithoutAnOwnerAreSpread) {
  const auto view =
      view_of({{"a", 0}, {"b", 0}, {"c", 0}}, {{"1", ""}, {"2", ""}, {"3", ""}, {"4", ""}});
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "a"}, {"2", "b"}, {"3", "c"}, {"4", "a"}}));
}

TEST(PlanTest, ModelsStayWhileNoNodeHasTwoMore) {
  const auto view = view_of({{"a", 0}, {"b", 0}}, {{"1", "b"}, {"2", "a"}, {"3", "b"}});
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "b"}, {"2", "a"}, {"3", "b"}}));
}

TEST(PlanTest, ANodeThatComesGetsItsShare) {
  const auto view = view_of({{"a", 0}, {"b", 0}}, {{"1", "a"}, {"2", "a"}, {"3", "a"}, {"4", "a"}});
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "a"}, {"2", "a"}, {"3", "b"}, {"4", "b"}}));
}

TEST(PlanTest, ModelsOfANodeThatIsNotHeardOfGoToOthers) {
  const auto view =
      view_of({{"a", 1000}, {"b", 0}, {"c", 999}}, {{"1", "a"}, {"2", "b"}, {"3", "a"}});
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "c"}, {"2", "b"}, {"3", "b"}}));
}

TEST(PlanTest, AModelWithoutAnOwnerGoesToANodeThatHasFoldedIt) {
  auto view = view_of({{"a", 0}, {"b", 0}, {"c", 5000}}, {{"1", "b"}, {"2", "c"}});
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "b"}, {"2", "a"}}));
  view.nodes[0].followed = {{"1", 10}, {"2", 10}};
  view.nodes[1].followed = {{"2", 5000}};  // later model 1 moves, once node a has folded it
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "a"}, {"2", "b"}}));
}

TEST(PlanTest, PinnedModelsGoToTheirNodeAndTheOthersMakeRoom) {
  auto view = view_of({{"a", 0}, {"b", 0}}, {{"1", "a"}, {"2", "b"}, {"3", "a"}, {"4", "b"}});
  view.models[1].pinned = view.models[3].pinned = "a";
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "b"}, {"2", "a"}, {"3", "b"}, {"4", "a"}}));
  view.nodes[0].age_millis = 1000;  // then they go where there is room
  EXPECT_EQ(plan(view, kLease), (Owners{{"1", "b"}, {"2", "b"}, {"3", "b"}, {"4", "b"}}));
}

TEST(PlanTest, WithoutNodesThereIsNoPlan) {
  EXPECT_TRUE(plan(view_of({{"a", 5000}}, {{"1", "a"}}), kLease).empty());
}

TEST(PlanTest, ANodeIsCloseIfItHasFoldedAlmostAll) {
  auto view = view_of({{"a", 0}, {"b", 0}}, {{"1", "a"}});
  EXPECT_FALSE(is_close(view, "b", view.models[0]));
  view.nodes[1].followed = {{"1", 3999}};
  EXPECT_FALSE(is_close(view, "b", view.models[0]));
  view.nodes[1].followed = {{"1", 4000}};
  EXPECT_TRUE(is_close(view, "b", view.models[0]));
  EXPECT_FALSE(is_close(view, "c", view.models[0]));
}

}  // namespace
}  // namespace rein::cluster

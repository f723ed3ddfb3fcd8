#include "cluster/plan.h"

#include <algorithm>
#include <vector>

namespace rein::cluster {
namespace {

// Entries that a node may be behind when it is given a model: they are folded within some milliseconds.
constexpr std::int64_t kCloseEntries = 1000;

struct Load {
  std::string node;
  std::vector<std::string> models;  // that may move, by name
  std::size_t count = 0;            // with those that are pinned
};

Load& least(std::vector<Load>& loads) { return *std::ranges::min_element(loads, {}, &Load::count); }
// For a model without an owner: of the nodes that have folded almost all of it, the one with fewest models. A
// node that has just come may have to read all of its journal first.
Load& nearest(std::vector<Load>& loads, const ClusterView& view, const ClusterView::Model& model) {
  Load* found = nullptr;
  for (Load& load : loads) {
    if (!is_close(view, load.node, model)) continue;
    if (found == nullptr || load.count < found->count) found = &load;
  }
  return found == nullptr ? least(loads) : *found;
}
// Of those with most models the one that has some that may move.
Load& most(std::vector<Load>& loads) {
  return *std::ranges::max_element(
      loads, {}, [](const Load& load) { return load.models.empty() ? 0 : load.count; });
}

}  // namespace

std::map<std::string, std::string> plan(const ClusterView& view, std::chrono::milliseconds lease) {
  std::vector<Load> loads;
  for (const ClusterView::Node& node : view.nodes) {
    if (node.age_millis < lease.count()) loads.push_back({node.name, {}, 0});
  }
  std::map<std::string, std::string> owners;
  if (loads.empty()) return owners;
  const auto find = [&](const std::string& name) {
    return std::ranges::find(loads, name, &Load::node);
  };
  std::vector<const ClusterView::Model*> without;
  for (const ClusterView::Model& model : view.models) {
    if (const auto pinned = find(model.pinned); pinned != loads.end()) {
      owners[model.name] = pinned->node;
      ++pinned->count;
    } else if (const auto holder = find(model.holder); holder != loads.end()) {
      holder->models.push_back(model.name);
      ++holder->count;
    } else {
      without.push_back(&model);
    }
  }
  for (const ClusterView::Model* model : without) {
    Load& to = nearest(loads, view, *model);
    to.models.insert(to.models.begin(), model->name);  // others move first to make the numbers even
    ++to.count;
  }
  while (true) {
    Load& from = most(loads);
    Load& to = least(loads);
    if (from.models.empty() || from.count < to.count + 2) break;
    to.models.push_back(from.models.back());
    from.models.pop_back();
    --from.count;
    ++to.count;
  }
  for (const Load& load : loads) {
    for (const std::string& name : load.models) owners[name] = load.node;
  }
  return owners;
}

bool is_close(const ClusterView& view, const std::string& node, const ClusterView::Model& model) {
  const auto there = std::ranges::find(view.nodes, node, &ClusterView::Node::name);
  if (there == view.nodes.end()) return false;
  const auto followed = std::ranges::find(there->followed, model.name, &NodeBeat::Followed::model);
  return followed != there->followed.end() && followed->position + kCloseEntries >= model.head.last;
}

}  // namespace rein::cluster

// Which node should own which model. Every node computes the same from the same view of the directory,
// so nodes agree without talking to each other. Only the holder of a lease acts on it.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "journal/shared_log.h"

namespace rein::cluster {

// The node of each model. A node counts if it was heard of within `lease`. Pinned models go to their
// node; the others stay where they are, unless one node has two more than another. Empty if no node
// counts.
std::map<std::string, std::string> plan(const ClusterView& view, std::chrono::milliseconds lease);

// Whether a node follows a model so closely that a takeover there is short.
bool is_close(const ClusterView& view, const std::string& node, const ClusterView::Model& model);

}  // namespace rein::cluster

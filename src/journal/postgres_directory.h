// Nodes and leases in PostgreSQL (postgres_log.h). Times are those of the server's clock. Commits do not
// wait for the disk: what a crash takes away is said again at the next beat. Used by postgres_*.cc only.
#pragma once

#include <string>

#include "journal/postgres_store.h"

namespace rein::postgres {

class Directory {
 public:
  explicit Directory(Store& store) : store_(store) {}

  Result<ClusterView> beat(const NodeBeat& beat);
  Result<bool> take_lease(const std::string& model, const std::string& node,
                          std::chrono::milliseconds lease);
  Result<> give_lease(const std::string& model, const std::string& node, const std::string& to,
                      std::chrono::milliseconds lease);
  Result<> pin(const std::string& model, const std::string& node);

 private:
  Result<> read_nodes(ClusterView& view);
  Result<> read_models(ClusterView& view);

  Store& store_;
};

}  // namespace rein::postgres

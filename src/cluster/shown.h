// What a node says of its cluster: as JSON, and as lines for /metrics.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/member.h"

namespace rein::cluster {

std::string cluster_json(const Member& member);

struct PassedCounts {
  std::int64_t passed_on = 0, waited = 0;
};
std::string cluster_metrics(const Member& member, const PassedCounts& counts);

}  // namespace rein::cluster

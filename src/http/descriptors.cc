#include "http/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace rein::serve {

std::int64_t raise_descriptor_limit() {
  // Some systems name no limit. More than this is never needed: a million connections, and files.
  constexpr rlim_t kMost = 1U << 21U;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;  // what every system has
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<std::int64_t>(std::min(limit.rlim_cur, kMost));
}

std::int64_t descriptors_for(std::int64_t models, std::int64_t limit) {
  return std::min(kDescriptorsOfProcess + models * kDescriptorsPerModel, limit / 2);
}

}  // namespace rein::serve

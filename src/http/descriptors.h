// File descriptors of the process: a limit of the system that connections, journals and snapshots share.
#pragma once

#include <cstdint>

namespace rein::serve {

// File descriptors of a model: its journal, two files beside the journal, a snapshot while it is
// written, and files that are open for a moment.
inline constexpr std::int64_t kDescriptorsPerModel = 8;
// File descriptors of the process itself: the standard streams, the lock of the data folder, the
// loops of the server.
inline constexpr std::int64_t kDescriptorsOfProcess = 64;

// Raises the limit of this process as far as the system allows, and returns the limit.
std::int64_t raise_descriptor_limit();

// Descriptors to keep back from connections for so many models: what they need, but at most half of
// the limit, so that the rest are for connections.
std::int64_t descriptors_for(std::int64_t models, std::int64_t limit);

// How many models fit into so many descriptors.
constexpr std::int64_t models_within(std::int64_t descriptors) {
  return (descriptors - kDescriptorsOfProcess) / kDescriptorsPerModel;
}

}  // namespace rein::serve

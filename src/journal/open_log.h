// Opens the SharedLog that an address names: postgres://... (postgres_log.h) or kafka://... (kafka_log.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "journal/shared_log.h"
#include "rein/result.h"

namespace rein {

struct OpenLogOptions {
  // A call that is not answered within this time has failed.
  std::chrono::milliseconds deadline{5'000};
  // Called with what a person should know about the store and what is no error.
  std::function<void(const std::string&)> notice;
};

// kInvalid: no such kind of address, the address cannot be read, or this program was built without that
// store. kFailed: the store cannot be reached or used.
Result<std::shared_ptr<SharedLog>> open_shared_log(const std::string& address,
                                                   const OpenLogOptions& options = {});

}  // namespace rein

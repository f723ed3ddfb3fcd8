// What every SharedLog promises (journal/shared_log.h). A test file names how its logs are made:
//   INSTANTIATE_TEST_SUITE_P(Memory, SharedLogContract, testing::Values(LogMaker{...}), name_of_maker);
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "journal/folder_model.h"
#include "journal/log_journal.h"

namespace rein {

struct LogMaker {
  std::string name;
  // An empty log, and another connection to the one that was made last.
  std::function<std::shared_ptr<SharedLog>()> make, again;
};

inline std::string name_of_maker(const testing::TestParamInfo<LogMaker>& info) { return info.param.name; }

class SharedLogContract : public testing::TestWithParam<LogMaker> {
 protected:
  std::unique_ptr<LogJournal> claim(const std::shared_ptr<SharedLog>& log, const std::string& node) {
    return LogJournal::claim(log, "m", node, true, {.resend_for = std::chrono::milliseconds(0)}).value();
  }
  // Entries of the model from the first on, as another reader finds them.
  Reading reading() {
    const auto journal = LogJournal::follow(other_, "m").value();
    return reading_of(*journal, journal->first());
  }
  ClusterView beat(const std::string& node, std::vector<std::string> held = {}) {
    return log_
        ->beat({.node = node, .address = node + ":1", .lease = kLease, .held = std::move(held), .followed = {}})
        .value();
  }
  static constexpr std::chrono::milliseconds kLease{60'000};

  std::shared_ptr<SharedLog> log_ = GetParam().make();
  std::shared_ptr<SharedLog> other_ = GetParam().again();
};

}  // namespace rein

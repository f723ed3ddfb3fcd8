// What-if curves of a log that no process holds: four passes over shards of the log.
//
// A shard is kWhatifShardRows consecutive rows; the last shard may have fewer. A worker in any
// process turns a shard into a short list of sums, and the caller adds the lists in the order of
// the shards:
//
//     auto passes = rein::WhatifPasses::start(log, options).value();
//     while (!passes.done()) {
//       const std::string task = passes.task();                       // the same for all shards
//       for (std::int64_t shard = 0; shard < passes.shards(); ++shard)
//         passes.add(whatif_sums(task, rows_of(shard), shard).value()).check();
//     }
//     const Whatif curve = passes.result();
//
// rein::whatif() does the same with threads. So the curve has the same bits however many threads,
// processes or machines there are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rein/whatif.h"

namespace rein {

inline constexpr std::int64_t kWhatifShardRows = 16'384;

// What must be known of a log before the first pass.
struct LogOutline {
  std::int64_t rows = 0;
  int actions = 0;
  int heads = 1;  // the reward, then one per cost
  int features = 0;
  std::vector<double> first_context;  // of row 0
};

class WhatifPasses {
 public:
  // Refuses what whatif() refuses of the options. options.progress is not called.
  static Result<WhatifPasses> start(const LogOutline& log, const WhatifOptions& options);
  // The curves of several questions, as whatif_curves().
  static Result<WhatifPasses> start(const LogOutline& log, const WhatifOptions& options,
                                    const std::vector<WhatifQuestion>& questions);
  ~WhatifPasses();
  WhatifPasses(WhatifPasses&&) noexcept;
  WhatifPasses& operator=(WhatifPasses&&) noexcept;

  std::int64_t shards() const;
  // The number of the pass, from 0; after the last pass done() is true. The last pass is repeated if
  // there are so many curves that their sums together would be too large.
  int pass() const;
  bool done() const;
  // For whatif_sums, in this pass.
  std::string task() const;
  // The sums of the next shard. After the last shard the next pass begins.
  Result<> add(std::vector<double> sums);
  // REQUIRES done(). The first curve, and one per question.
  const Whatif& result() const { return results()[0]; }
  const std::vector<Whatif>& results() const;

 private:
  struct State;
  explicit WhatifPasses(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The sums of a shard. Refuses rows that check_rows refuses, logs without propensities, and a shard
// with a wrong number of rows.
Result<std::vector<double>> whatif_sums(std::string_view bytes, const OfflineRows& rows,
                                        std::int64_t shard);

}  // namespace rein

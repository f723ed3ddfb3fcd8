// How long a snapshot holds the writer of a model: snapshot_cost [REQUESTS] [OPEN] [ENTRIES] [FOLDER].
//
// The model remembers so many requests and has so many open decisions; so many entries came since the
// last snapshot. Measured are a snapshot of the state itself, for which the writer waits, and one that
// is made beside it from the journal. All times are processor time of the one thread, so that other work
// of the machine does not count.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "journal/sqlite_journal.h"
#include "rein/rng.h"
#include "serve/model.h"

namespace {

using namespace rein;
using namespace rein::serve;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string decide(Model& model, const std::string& body) {
  Ask ask;
  ask.method = "POST";
  ask.verb = "decide";
  ask.body = body;
  return model.call(ask).body.substr(7, 16);
}

// In groups of 64, as a writer commits them.
void decide_and_tell(Model& model, Rng& rng, int decisions, bool tell) {
  std::vector<std::string> ids;
  for (int n = 0; n < decisions; ++n) {
    std::string context;
    for (int j = 0; j < 16; ++j) context += fmt::format("{}{:.4f}", j == 0 ? "" : ",", rng.uniform());
    ids.push_back(decide(model, fmt::format("{{\"context\":[{}]}}", context)));
    if (ids.size() < 64 && n + 1 < decisions) continue;
    for (const std::string& id : ids) {
      if (!tell) break;
      Ask ask;
      ask.method = "POST";
      ask.verb = "outcome";
      ask.body = fmt::format(R"({{"id":"{}","reward":{},"costs":0.1}})", id,
                             rng.uniform() < 0.5 ? 1 : 0);
      model.call(ask);
    }
    ids.clear();
    model.commit().check();
  }
}

void make_beside(Model& model) {
  const double start = seconds();
  const SnapshotTask task = model.mark_for_snapshot().value();
  fmt::print("beside the writer: the mark and its commit {:.2f} ms", 1e3 * (seconds() - start));
  // The slices that a writer reads between two groups, each timed.
  int slices = 0;
  double longest = 0.0, all = 0.0;
  const auto made = make_snapshot(task, [&](const std::function<Result<>(const Model&)>& run) {
    const double begin = seconds();
    auto done = run(model);
    const double took = seconds() - begin;
    ++slices;
    longest = std::max(longest, took);
    all += took;
    return done;
  });
  made.check();
  fmt::print(
      "; {} slices of entries, in all {:.1f} ms, the longest {:.2f} ms\nthe other thread: {} MB in "
      "{:.2f} s\n",
      slices, 1e3 * all, 1e3 * longest, made.value().bytes >> 20, seconds() - start - all);
  model.snapshot_written(made.value());
}

}  // namespace

int main(int argc, char** argv) {
  const int requests = argc > 1 ? std::atoi(argv[1]) : 5'000'000;
  const int open = argc > 2 ? std::atoi(argv[2]) : 100'000;
  const int entries = argc > 3 ? std::atoi(argv[3]) : 50'000;
  const std::string folder = argc > 4 ? argv[4] : "snapshot-cost";
  std::filesystem::create_directories(folder);
  auto model =
      Model::create("bench",
                    R"({"actions":4,"context":16,"costs":{"cost":1},"reward":[0,1],"seed":1,
                        "most_open":1000000,"remember":1000000,"budgets":
                        [{"name":"hour","cost":"cost","amount":100000,"per":"3600 ticks"}]})",
                    open_sqlite_journal(folder + "/journal").value(),
                    {.folder = folder, .wall = [] { return std::int64_t{1'700'000'000}; }})
          .value();
  Rng rng(1);
  decide_and_tell(*model, rng, open, false);
  for (int i = 0; i < requests; ++i) {
    model->state().requests.add({.low = 1, .high = rng.bits()}, 1, 1'700'000'000);
  }
  const double start = seconds();
  const Snapshot snapshot = model->make_snapshot().value();
  fmt::print("{} requests, {} open decisions\nof the state itself: {:.1f} ms\n", requests, open,
             1e3 * (seconds() - start));
  SnapshotFiles(folder).write(snapshot.position, snapshot.bytes, snapshot.chain).value();
  decide_and_tell(*model, rng, entries / 2, true);
  make_beside(*model);
}

// rein/batch.h: logged rounds
#include "engine.h"
#include "rein/batch.h"

namespace rein::bind {
namespace {

using WarmIds = Array<2, const std::int32_t>;
using Actions = Array<1, const std::int32_t>;

LoggedBatch log_of(int actions, const Array<2>& contexts, const Array<3>& features,
                   const WarmIds& ids, const Actions& played, const Array<1>& rewards,
                   const Array<2>& costs) {
  return {.rounds = {.rounds = static_cast<std::int64_t>(played.size()),
                     .actions = actions,
                     .contexts = span_of(contexts),
                     .features = span_of(features),
                     .ids = span_of(ids)},
          .actions = span_of(played),
          .rewards = span_of(rewards),
          .costs = span_of(costs)};
}

void check(Shared& shared, int actions, const Array<2>& contexts, const Array<3>& features,
           const WarmIds& ids, const Actions& played, const Array<1>& rewards,
           const Array<2>& costs) {
  const LoggedBatch log = log_of(actions, contexts, features, ids, played, rewards, costs);
  auto done = [&] {
    Shared::Hold engine(shared);
    const nb::gil_scoped_release unlock;
    return check_logged(*engine, log);
  }();
  unwrap(done);
}

std::int64_t warm(Shared& shared, int actions, const Array<2>& contexts, const Array<3>& features,
                  const WarmIds& ids, const Actions& played, const Array<1>& rewards,
                  const Array<2>& costs, std::int64_t first, std::int64_t most) {
  const LoggedBatch log = log_of(actions, contexts, features, ids, played, rewards, costs);
  auto done = [&] {
    Shared::Change engine(shared);
    const nb::gil_scoped_release unlock;
    return warm_start(*engine, log, first, most);
  }();
  return unwrap(std::move(done));
}

}  // namespace

void bind_warm(nb::module_& module) {
  module.def("check_logged", &check);
  module.def("warm_start", &warm);
}

}  // namespace rein::bind

// CPU time of one decision and of one outcome through a model of the service, without sockets and
// without a disk: model_cost [ROUNDS] [ACTIONS] [CONTEXT].
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <vector>

#include "journal/memory_journal.h"
#include "rein/rng.h"
#include "serve/model.h"

namespace {

double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  using namespace rein;
  using namespace rein::serve;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const int actions = argc > 2 ? std::atoi(argv[2]) : 4;
  const int context = argc > 3 ? std::atoi(argv[3]) : 16;
  const std::string document = fmt::format(
      R"({{"actions":{},"context":{},"costs":{{"cost":1}},"reward":[0,1],"seed":1,)"
      R"("budgets":[{{"name":"hour","cost":"cost","amount":100000,"per":"3600 ticks"}}]}})",
      actions, context);
  auto model = Model::create("bench", document, make_memory_journal(),
                             {.wall = [] { return std::int64_t{1'700'000'000}; }})
                   .value();
  Rng rng(1);
  double decide = 0.0, outcome = 0.0, commit = 0.0;
  std::vector<std::string> bodies;
  for (int i = 0; i < 256; ++i) {
    std::string numbers;
    for (int j = 0; j < context; ++j)
      numbers += fmt::format("{}{:.4f}", j == 0 ? "" : ",", rng.uniform());
    bodies.push_back(fmt::format("{{\"context\":[{}]}}", numbers));
  }
  constexpr int kGroup = 16;
  std::vector<std::string> ids;
  for (int n = 0; n < rounds; n += kGroup) {
    ids.clear();
    double start = cpu();
    model->begin();
    for (int i = 0; i < kGroup; ++i) {
      const HttpResponse answer = model->call(
          {.method = "POST", .verb = "decide", .body = bodies[static_cast<std::size_t>(n + i) % 256]});
      ids.push_back(answer.body.substr(7, 16));
    }
    decide += cpu() - start;
    start = cpu();
    for (const std::string& id : ids) {
      const HttpResponse answer = model->call(
          {.method = "POST",
           .verb = "outcome",
           .body = fmt::format("{{\"id\":\"{}\",\"reward\":{},\"costs\":{{\"cost\":0.1}}}}", id,
                               rng.uniform() < 0.5 ? 1 : 0)});
      if (answer.status != 200) return fmt::print("{}\n", answer.body), 1;
    }
    outcome += cpu() - start;
    start = cpu();
    model->commit().check();
    commit += cpu() - start;
  }
  fmt::print("{} rounds, {} actions, context of {}: decide {:.2f} us, outcome {:.2f} us, commit to memory "
             "{:.2f} us per round\n",
             rounds, actions, context, 1e6 * decide / rounds, 1e6 * outcome / rounds, 1e6 * commit / rounds);
}

#include "cluster/checks_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cluster/node_model.h"
#include "journal/archived_journal.h"
#include "serve/first_entries.h"
#include "serve/fold.h"

namespace rein::cluster {

void Checks::journals() {
  for (const std::string& model : world_.models_) {
    epochs(model);
    journal(model);
  }
}

void Checks::epochs(const std::string& model) {
  std::int64_t from = world_.log().head(model).value().first, epoch = 0;
  while (true) {
    const LogSlice slice = world_.log().read(model, from, 1 << 20).value();
    if (slice.entries.empty()) break;
    for (const LogEntry& entry : slice.entries) {
      if (entry.epoch < epoch)
        world_.wrong(fmt::format("{}: an entry of epoch {} after {}", model, entry.epoch, epoch));
      epoch = entry.epoch;
    }
    from += static_cast<std::int64_t>(slice.entries.size());
  }
  const LogHead head = world_.log().head(model).value();
  world_.verdict_.entries += head.last;
  world_.verdict_.archived += head.first - 1;
  world_.verdict_.epochs += head.epoch;
  world_.verdict_.chain ^= head.chain;
}

// From the first entry on, with its archive.
std::unique_ptr<Journal> Checks::whole_journal(const std::string& model) {
  std::unique_ptr<Journal> journal = LogJournal::follow(world_.log_, model).value();
  return world_.archive_.empty() ? std::move(journal)
                                 : with_archive(std::move(journal), world_.archive_ + "/" + model).value();
}

void Checks::journal(const std::string& model) {
  const auto journal = whole_journal(model);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> marked;
  std::int64_t before = 0;
  const auto after = [&](std::int64_t number, const serve::Event& event,
                         const serve::ModelState& state) -> Result<> {
    if (event.at > world_.seconds() + World::kMaxSkewSeen) {
      world_.wrong(
          fmt::format("{}: entry {} has the time of a wrong clock: {}", model, number, event.at));
    }
    if (event.at < before)
      world_.wrong(fmt::format("{}: time goes back at entry {}", model, number));
    before = std::max(before, event.at);
    for (const BudgetState& budget : state.engine.state().budgets) {
      if (budget.spent + budget.held > budget.limit) {
        world_.wrong(
            fmt::format("{}: budget {} is overspent at entry {}", model, budget.name, number));
      }
    }
    if (event.mark.empty()) return {};
    const bool fresh =
        marked.emplace(std::pair{event.mark.low, event.mark.high}, event.text).second;
    if (!fresh)
      world_.wrong(
          fmt::format("{}: the request of entry {} is in the journal twice", model, number));
    return {};
  };
  auto state = serve::fold_journal(*journal, {}, after);
  if (!state) return world_.wrong(fmt::format("{}: {}", model, state.error()));
  answers(model, state.value(), marked);
  money(model, state.value());
}

void Checks::answers(const std::string& model, const serve::ModelState& state,
                     const std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>& marked) {
  for (const auto& request : world_.requests_) {
    if (request->model != model || !request->done || request->verb != "decide") continue;
    if (request->status != 200) {
      ++world_.verdict_.refused_budget;
      continue;
    }
    ++world_.verdict_.decisions;
    const serve::RequestMark mark =
        serve::mark_of(state.key(), request->request_id, "decide", request->body);
    const auto found = marked.find({mark.low, mark.high});
    if (found == marked.end()) {
      world_.wrong(fmt::format("{}: request {} was answered and is not in the journal", model,
                               request->request_id));
    } else if (found->second != request->answer) {
      world_.wrong(fmt::format("{}: request {} was answered {}, and the journal has {}", model,
                               request->request_id, request->answer, found->second));
    }
  }
}

// Outcomes that were acknowledged are applied once: the sums are those of the clients, to the micro-unit.
void Checks::money(const std::string& model, const serve::ModelState& state) {
  double billed = 0.0;
  std::int64_t learned = 0;
  for (const auto& request : world_.requests_) {
    if (request->model != model || request->verb != "outcome" || request->status != 200) continue;
    billed += request->cost;
    ++learned;
    ++world_.verdict_.outcomes;
  }
  const EngineState found = state.engine.state();
  if (found.learned != learned) {
    world_.wrong(fmt::format("{}: {} outcomes were acknowledged, {} are in the journal", model,
                             learned, found.learned));
  }
  const auto micros = static_cast<std::int64_t>(std::llround(billed * 1e6));
  if (!found.budgets.empty() && found.budgets[0].spent != micros) {
    world_.wrong(fmt::format("{}: clients paid {}, the budget says {}", model, micros,
                             found.budgets[0].spent));
  }
}

void Checks::nodes() {
  for (const std::string& model : world_.models_) {
    for (const auto& node : world_.nodes_) {
      world_.log().pin(model, node->name).check();
      const std::int64_t deadline = world_.millis() + 15'000;
      while (!node->serves(model) && world_.millis() < deadline)
        world_.step_time(world_.millis() + 50);
      if (!node->serves(model)) {
        world_.wrong(fmt::format("{}: node {} does not take it over", model, node->name));
        continue;
      }
      bool compared = false;
      node->writers[model]->read([&](serve::Model& served) {
        const auto journal = whole_journal(model);
        const auto state = serve::fold_journal(*journal, {.to = served.committed()});
        compared = true;
        if (!state || state.value().hash() != served.state().hash()) {
          world_.wrong(
              fmt::format("{}: node {} has another state than the journal", model, node->name));
        }
      });
      world_.step_time(world_.millis() + 500);
      if (!compared) world_.wrong(fmt::format("{}: node {} does not read", model, node->name));
    }
  }
}

}  // namespace rein::cluster

// rein/run.h, rein/totals.h, rein/figure.h: options of a run, and its result as plain values. The
// runs are in sweep.cc.
#include "run.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

namespace rein::bind {

std::vector<Spec> specs_of(const std::vector<std::string>& texts) {
  std::vector<Spec> specs;
  for (const std::string& text : texts) {
    for (Spec& spec : unwrap(parse_specs(text, "policy spec"))) specs.push_back(std::move(spec));
  }
  return specs;
}

std::function<void(std::int64_t, std::int64_t)> progress_of(nb::object tell) {
  return [kept = Kept(std::move(tell))](std::int64_t done, std::int64_t all) {
    const nb::gil_scoped_acquire lock;
    (*kept)(done, all);
  };
}

namespace {

nb::object matrix(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return copied(flat.data(), {rows.size(), columns});
}

struct CurvePutter {
  nb::dict out;
  std::size_t points;
  template <class T>
  void operator()(const char* name, const std::vector<T>& line) {
    out[name] = copied(line.data(), {points});
  }
  void operator()(const char* name, const std::vector<std::vector<double>>& lines) {
    out[name] = matrix(lines, points);
  }
};

nb::dict curve_of(const Curve& curve) {
  CurvePutter putter{.points = curve.rounds.size()};
  each_line(curve, putter);
  return putter.out;
}

// The columns of to_csv() for one play.
nb::dict row_of(const RunResult& result, const PolicyRun& run, const Totals& totals) {
  nb::dict row;
  row["policy"] = run.spec.str();
  row["seed"] = totals.seed;
  row["rounds"] = result.rounds;
  row["status"] = std::string(name_of(totals.status));
  for (const TotalNumbers& each : numbers_of(totals)) {
    const std::string name(each.total.name);
    if (!each.per_cost) {
      row[name.c_str()] = each.numbers[0];
      continue;
    }
    for (std::size_t i = 0; i < result.costs.size(); ++i) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      row[(name + " " + result.costs[i]).c_str()] = i < each.numbers.size() ? each.numbers[i] : nan;
    }
  }
  for (std::size_t i = 0; i < totals.budgets.size(); ++i) {
    each_field(totals.budgets[i], [&](const char* field, double number) {
      row[(std::string(field) + " " + result.live_budgets[i].name).c_str()] = number;
    });
  }
  return row;
}

nb::tuple figure_of(const std::vector<double>& values) {
  const Figure found = figure(values);
  return nb::make_tuple(found.mean, found.low, found.high);
}

}  // namespace

nb::object plain(const Json& value) {
  struct Maker {
    nb::object operator()(std::monostate) { return nb::none(); }
    nb::object operator()(const Json::List& list) {
      nb::list out;
      for (const Json& each : list) out.append(plain(each));
      return out;
    }
    nb::object operator()(const Json::Object& object) {
      nb::dict out;
      for (const auto& [key, each] : object) out[key.c_str()] = plain(each);
      return out;
    }
    nb::object operator()(bool truth) { return nb::cast(truth); }
    nb::object operator()(std::int64_t number) { return nb::cast(number); }
    nb::object operator()(double number) { return nb::cast(number); }
    nb::object operator()(const std::string& text) {  // a path in a spec may hold any bytes
      return nb::steal(
          PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    }
  };
  return std::visit(Maker(), value.is);
}

nb::dict plain(const RunResult& result, const Json& report) {
  nb::list policies, totals;
  for (const PolicyRun& run : result.policies) {
    nb::list curves;
    for (const Curve& curve : run.curves) curves.append(curve_of(curve));
    policies.append(nb::make_tuple(run.spec.str(), curves));
    for (const Totals& each : run.totals) totals.append(row_of(result, run, each));
  }
  nb::dict out;
  out["summary"] = plain(report);
  out["totals"] = totals;
  out["curves"] = policies;
  out["json"] = report.str();
  out["csv"] = to_csv(result);
  return out;
}

void bind_run(nb::module_& module) {
  nb::class_<RunOptions>(module, "RunOptions")
      .def(nb::init<>())
      .def_rw("rounds", &RunOptions::rounds)
      .def_rw("seeds", &RunOptions::seeds)
      .def_rw("first_seed", &RunOptions::first_seed)
      .def_rw("threads", &RunOptions::threads)
      .def_rw("curve_points", &RunOptions::curve_points)
      .def_rw("margin", &RunOptions::margin)
      .def_rw("long_term", &RunOptions::long_term)
      .def_rw("references", &RunOptions::references)
      .def_rw("certify", &RunOptions::certify)
      .def_rw("delay", &RunOptions::delay)
      .def_rw("own", &RunOptions::own)
      .def("add_budget",
           [](RunOptions& o, std::string name, std::string cost, double amount, bool hard,
              int window, std::int64_t length, std::string zone, bool carry, std::string scope,
              std::int64_t rounds, const KeyAmounts& amounts, int keep, bool named,
              const std::string& hold) {
             o.live.budgets.push_back(
                 {std::move(name), std::move(cost), amount,
                  hard ? BudgetKind::kHard : BudgetKind::kSteer,
                  Window{static_cast<Window::Kind>(window), length, std::move(zone)}, carry,
                  std::move(scope), rounds, amounts_of(amounts), keep, named, hold_in(hold)});
           })
      .def_prop_rw(  // as texts, which can be sent to other processes
          "budgets",
          [](const RunOptions& o) {
            std::vector<std::string> texts;
            for (const Budget& budget : o.live.budgets) texts.push_back(to_text(budget));
            return texts;
          },
          [](RunOptions& o, const std::vector<std::string>& texts) {
            o.live.budgets.clear();
            for (const std::string& text : texts) {
              o.live.budgets.push_back(unwrap(parse_budget(text)));
            }
          })
      .def_prop_rw(
          "missing", [](const RunOptions& o) { return o.live.missing; },
          [](RunOptions& o, Live::Named<double> given) { o.live.missing = std::move(given); })
      .def_prop_rw(
          "late", [](const RunOptions& o) { return o.live.late; },
          [](RunOptions& o, Live::Named<std::int64_t> given) { o.live.late = std::move(given); })
      .def_prop_rw(
          "keys", [](const RunOptions& o) { return o.live.keys; },
          [](RunOptions& o, Live::Named<std::int64_t> given) { o.live.keys = std::move(given); })
      .def_prop_rw(
          "ticks", [](const RunOptions& o) { return o.live.ticks; },
          [](RunOptions& o, std::int64_t ticks) { o.live.ticks = ticks; })
      .def_prop_rw(
          "expire", [](const RunOptions& o) { return o.live.expire; },
          [](RunOptions& o, std::int64_t rounds) { o.live.expire = rounds; })
      .def("set_progress",
           [](RunOptions& o, nb::object tell) { o.progress = progress_of(std::move(tell)); });
  module.def("figure", &figure_of);
}

}  // namespace rein::bind

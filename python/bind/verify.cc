// rein/verify.h, rein/falsify.h
#include "rein/verify.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rein/falsify.h"
#include "rein/suite.h"
#include "run.h"

namespace rein::bind {
namespace {

nb::tuple verify_plain(const std::string& profile, const std::string& parts,
                       const std::vector<std::string>& policies, int threads, int seeds,
                       int first, int last, const std::string& resume, bool fresh,
                       nb::object progress) {
  const VerifyOptions options{.profile = profile,
                              .parts = parts,
                              .policies = policies,
                              .threads = threads,
                              .seeds = seeds,
                              .first = first,
                              .last = last,
                              .resume = resume,
                              .fresh = fresh,
                              .progress = progress_of(std::move(progress))};
  auto made = [&] {
    const nb::gil_scoped_release unlock;
    return verify(options);
  }();
  const Verification found = unwrap(std::move(made));
  const Json report = to_value(found, {.title = "rein verify: " + profile});
  return nb::make_tuple(plain(report), report.str(), found.pass());
}

nb::list calls_of(const std::vector<Call>& calls) {
  nb::list list;
  for (const Call& call : calls) {
    nb::dict one;
    one["quantity"] = call.quantity;
    one["measured"] = call.measured;
    one["bound"] = call.bound;
    one["command"] = call.command;
    one["others"] = call.others;
    one["others_above"] = call.others_above;
    list.append(one);
  }
  return list;
}

nb::dict falsify_plain(double seconds, std::int64_t cases, std::uint64_t seed, int threads,
                       double tighten, nb::object progress) {
  const FalsifyOptions options{.seconds = seconds,
                               .cases = cases,
                               .seed = seed,
                               .threads = threads,
                               .tighten = tighten,
                               .progress = progress_of(std::move(progress))};
  auto made = [&] {
    const nb::gil_scoped_release unlock;
    return falsify(options);
  }();
  const Falsification found = unwrap(std::move(made));
  nb::dict answer;
  answer["runs"] = found.runs;
  answer["outside"] = found.outside;
  answer["refused"] = found.refused;
  answer["offences"] = found.offences;
  answer["offenders"] = calls_of(found.offenders);
  answer["closest"] = calls_of(found.closest);
  return answer;
}

nb::tuple benchmark_plain(const std::string& profile, const std::vector<std::string>& policies,
                          std::int64_t sealed, const std::string& tables, int threads, const std::string& resume, const Own& own,
                          nb::object progress) {
  const SuiteOptions options{.profile = profile,
                             .policies = policies,
                             .sealed = sealed,
                             .tables = tables,
                             .threads = threads,
                             .resume = resume,
                             .own = own,
                             .progress = progress_of(std::move(progress))};
  auto made = [&] {
    const nb::gil_scoped_release unlock;
    return run_suite(options);
  }();
  const Json report = to_value(unwrap(std::move(made)));
  return nb::make_tuple(plain(report), report.str());
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("verify", &verify_plain);
  module.def("benchmark", &benchmark_plain);
  module.def("falsify", &falsify_plain);
}

}  // namespace rein::bind

// rein/verify.h
#include "rein/verify.h"

#include <nanobind/stl/string.h>

#include "evaluate.h"
#include "rein/report.h"

namespace rein::bind {
namespace {

nb::tuple verify_plain(const std::string& profile, const std::string& parts, int threads, int seeds,
                       int first, int last, nb::object progress) {
  const VerifyOptions options{.profile = profile,
                              .parts = parts,
                              .threads = threads,
                              .seeds = seeds,
                              .first = first,
                              .last = last,
                              .progress = progress_of(std::move(progress))};
  auto made = [&] {
    const nb::gil_scoped_release unlock;
    return verify(options);
  }();
  const Verification found = unwrap(std::move(made));
  return nb::make_tuple(to_json(found, {.title = "rein verify: " + profile}), found.pass());
}

}  // namespace

void bind_verify(nb::module_& module) { module.def("verify", &verify_plain); }

}  // namespace rein::bind

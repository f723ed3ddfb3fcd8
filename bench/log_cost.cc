// log_cost FILE...: reads every log once and prints rows per CPU second.
#include <fmt/format.h>

#include <ctime>

#include "rein/log.h"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const double start = cpu_seconds();
    const auto reader = rein::open_log(argv[i]).value();
    rein::LogRow row;
    double sum = 0.0;
    while (reader->next(row).value()) sum += row.reward;
    const double spent = cpu_seconds() - start;
    const double rows = static_cast<double>(reader->report().kept);
    fmt::print("{} {:.0f} rows {:.0f} rows/CPU s, mean reward {:.4f}, {} refused\n", argv[i], rows,
               rows / spent, sum / rows, reader->report().refused);
  }
}

#include "rein/figure.h"

#include <cmath>

#include "base/math.h"
#include "evaluate/student.h"

namespace rein {

Figure figure(const std::vector<double>& values) {
  Figure figure{kNan, kNan, kNan};
  if (values.empty()) return figure;
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  for (double x : values) sum += x;
  figure.mean = sum / n;
  if (values.size() < 2) return figure;
  double squares = 0.0;
  for (double x : values) squares += (x - figure.mean) * (x - figure.mean);
  const double error = std::sqrt(squares / (n - 1.0) / n);
  const double half = student_t(static_cast<int>(values.size()) - 1) * error;
  figure.low = figure.mean - half;
  figure.high = figure.mean + half;
  return figure;
}

}  // namespace rein

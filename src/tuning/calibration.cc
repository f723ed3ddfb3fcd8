#include "tuning/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
double Calibration::correction(int action_id, int cost) const {
  const Cell& cell = cells_[at(action_id, cost)];
  if (cell.plays < tuned::kCalibrationPlays) return 0.0;
  const double error = tuned::kDeviations *
                       std::sqrt(cell.variance / std::min(cell.plays, tuned::kShortMemory));
  if (cell.mean > error) return cell.mean - error;
  if (cell.mean < -error) return cell.mean + error;
  return 0.0;
}

double Calibration::spread(int action_id, int cost) const {
  const Cell& cell = cells_[at(action_id, cost)];
  if (cell.plays < 2.0) return std::numeric_limits<double>::infinity();
  return std::sqrt(cell.variance + cell.mean * cell.mean);
}

void Calibration::learn(int action_id, int cost, double miss) {
  Cell& cell = cells_[at(action_id, cost)];
  cell.plays += 1.0;
  const double weight = std::max(1.0 / cell.plays, 2.0 / (tuned::kShortMemory + 1.0));
  const double apart = miss - cell.mean;
  cell.mean += weight * apart;
  cell.variance = (1.0 - weight) * (cell.variance + weight * apart * apart);
}

void Calibration::save(ByteWriter& out) const {
  out.tag("calibration");
  for (const Cell& cell : cells_) out.parts(cell.plays, cell.mean, cell.variance);
}

void Calibration::load(ByteReader& in) {
  in.tag("calibration");
  for (Cell& cell : in.saved(cells_, actions_)) in.parts(cell.plays, cell.mean, cell.variance);
  in.put_back();
}

}  // namespace rein

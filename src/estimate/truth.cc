#include "estimate/truth.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spec_reader.h"
#include "rein/bytes.h"

namespace rein {

Result<std::unique_ptr<Oracle>> Truth::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  if (auto done = read.finish(); !done) return done.failure();
  if (!shape.truth) {
    return Error{
        "oracle spec: truth needs the true means, and the shape has none; accepted: a world that "
        "knows its means, or a shape whose truth is set"};
  }
  if (shape.truth->size() != 1) {
    return Error{fmt::format("oracle spec: the shape's truth has {} functions; accepted: 1",
                             shape.truth->size())};
  }
  return std::unique_ptr<Oracle>(new Truth(shape));
}

void Truth::predict(const Round& round, Scratch&, Estimates& estimates) const {
  HeadValues value;
  for (int a = 0; a < round.actions; ++a) {
    truth_->evaluate(0, round, a, value.of(heads_));
    for (int h = 0; h < heads_.size(); ++h) estimates.mean(h)[a] = heads_.clip(h, value[h]);
  }
  std::fill(estimates.width().begin(), estimates.width().end(), 0.0);
}

void Truth::save(ByteWriter& out) const { out.state("truth", Known{"heads", heads_.size()}); }

Result<> Truth::load(ByteReader& in) { return in.state("truth", Known{"heads", heads_.size()}); }

}  // namespace rein

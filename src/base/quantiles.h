// Quantiles of the normal law that intervals are made of.
#pragma once

namespace rein {

// 97.5 %: 95 % of the law lies within so many standard deviations of its mean.
inline constexpr double kNormal95 = 1.959963984540054;
// 95 %: 95 % of the law lies below so many.
inline constexpr double kNormal95OneSided = 1.645;

}  // namespace rein

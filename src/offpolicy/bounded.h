// 95 % intervals of the mean of numbers in [0, 1], at any sample size, also where all of them are 0.
#pragma once

#include <vector>

namespace rein {

struct Ends {
  double low, high;
};

// Of independent numbers (Gaffke, Mathematical Methods of Statistics 2005). The lower end is the 2.5 %
// quantile of the mean of the numbers and one more 0 under random weights that are uniform on the simplex:
//
//     T = sum x_i E_i / (E_0 + sum E_i),    E independent exponential variables
//
// The upper end is 1 less the lower end of 1 - x. Where every number is 0 or 1 these are the ends of Clopper
// and Pearson, which are exact: T is then a beta variable. For other numbers nobody has proved it, and nobody
// has found a law under which it fails; docs/lab/intervals.md has what was measured.
Ends independent95(std::vector<double> numbers);
// The same of `count` numbers, `ones` of which are 1 and the others 0.
Ends independent95(double ones, double count);

// Of numbers whose mean given those before is the same in every row, as in the log of a learner (Waudby-Smith,
// Ramdas, JRSS-B 2024). For every candidate mean, bets against it are made on all numbers. The capital of
// the true mean passes 40 with probability 1 / 40 at most, so candidates whose capital passes 40 are left
// out. Bets are a list of shares of the largest possible bet. Wider than independent95 by a third.
Ends bets95(std::vector<double> numbers);

}  // namespace rein

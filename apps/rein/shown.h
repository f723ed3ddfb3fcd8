// What run, compare and verify print alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rein/evaluate.h"

namespace rein::app {

// One number of every seed.
std::vector<double> collect(const PolicyRun& run, const std::function<double(const Totals&)>& get);

// "355 ± 12", "355" at one seed, "-" where there is none.
std::string shown(const Figure& figure);
std::string shown(const std::vector<double>& values);  // one a seed
std::string shown(const PolicyRun& run, const std::function<double(const Totals&)>& get);
// A bound above the most that can happen says nothing.
std::string shown_bound(double bound, double most);

// The mark of a policy in plots and tables.
char mark_of(std::size_t policy);

// A row a policy, with what was earned, missed and violated; `labels` name the rows.
std::string main_table(const RunResult& result, const std::vector<std::string>& labels);
// Spend against budget; empty where the world has none.
std::string budget_table(const RunResult& result, const std::vector<std::string>& labels);

// What was shown more than a policy is, and what share of it every policy earned; empty where no
// references were asked for.
std::string reference_table(const RunResult& result);
// Which policies learn from functions that do not fit this world; empty where none rang.
std::string alarm_note(const RunResult& result);

// The command as it can be typed again: words that a shell would read are quoted.
std::string command_line(const std::vector<std::string>& words);

}  // namespace rein::app

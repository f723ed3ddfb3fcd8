// Output that run, compare and verify share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rein/run.h"

namespace rein::app {

// One number per seed.
std::vector<double> collect(const PolicyRun& run, const std::function<double(const Totals&)>& get);

// "355 ± 12", "355" with one seed, "-" if undefined.
std::string shown(const Figure& figure);
std::string shown(const std::vector<double>& values);  // one per seed
std::string shown(const PolicyRun& run, const std::function<double(const Totals&)>& get);
// A bound above the largest possible value is shown as vacuous.
std::string shown_bound(double bound, double most);

// The symbol of a policy in plots and tables.
char mark_of(std::size_t policy);

// The first line: world, rounds and seeds; and what must be known about the world (world_note).
std::string heading(const RunResult& result, std::size_t seeds);
// The title of a report: the verb, the world, and the same note.
std::string titled(const char* verb, const Spec& world);
// The heading of a cost: what was spent, and what was allowed.
std::string limited(const RunResult& result, std::size_t cost);
// One row per policy: reward, regret and violation. `labels` name the rows.
std::string main_table(const RunResult& result, const std::vector<std::string>& labels);
// How far each policy went over its budget, and what it earned before; empty if the world has no budget.
std::string budget_table(const RunResult& result, const std::vector<std::string>& labels);
// What the windows of every live budget spent, one row per policy and budget; empty without them.
std::string window_table(const RunResult& result, const std::vector<std::string>& labels);
// The policies that had to refuse rounds under a hard budget; empty if there is none.
std::string refused_note(const RunResult& result);

// The references, and the share of their reward that every policy earned. Empty if no references
// were asked for.
std::string reference_table(const RunResult& result);
// The policies whose function class does not fit this world; empty if no alarm rang.
std::string alarm_note(const RunResult& result);
// The policies whose status at the end is not ok, with advice; class is left to alarm_note().
std::string status_note(const RunResult& result);

// The command line, quoted so that it can be pasted into a shell.
std::string command_line(const std::vector<std::string>& words);

}  // namespace rein::app

// What must be true when the faults of a simulated world have ended.
#pragma once

#include "cluster/world_model.h"

namespace rein::cluster {

class Checks {
 public:
  explicit Checks(World& world) : world_(world) {}
  // Every journal has every answer, once, with the same bytes; entries follow each other, under epochs that do
  // not fall; money is within its budget at every entry, and exact at the end; no entry has the time of a
  // wrong clock.
  void journals();
  // Each node takes over each model in turn, and then has the state that the fold of the journal gives.
  void nodes();

 private:
  void journal(const std::string& model);
  std::unique_ptr<Journal> whole_journal(const std::string& model);
  void answers(const std::string& model, const serve::ModelState& state,
               const std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>& marked);
  void money(const std::string& model, const serve::ModelState& state);
  void epochs(const std::string& model);

  World& world_;
};

}  // namespace rein::cluster

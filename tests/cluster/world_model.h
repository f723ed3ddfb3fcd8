// A simulated world of nodes: real members, models and writers over a SharedLog in memory, with clients, a
// network that loses and repeats, a store that does not answer or answers late, and nodes that are paused,
// killed and have wrong clocks. Everything that happens follows from one number, the seed. The manner is that
// of TigerBeetle's VOPR.
//
// After the faults have ended, the world says what is wrong (Verdict): see checks_model.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cluster/fibre_model.h"
#include "cluster/member.h"
#include "journal/memory_log.h"
#include "serve/writer.h"

namespace rein::cluster {

// Bugs of the store that are planted, so that it is seen that the checks find them.
enum class Planted { kNone, kNoEndCheck, kEqualPlaceIsTheGroup, kLostGroup, kTornGroup };

struct Verdict {
  std::vector<std::string> wrong;  // what may never be; empty: nothing
  std::int64_t decisions = 0, outcomes = 0, refused_budget = 0, entries = 0, epochs = 0, kills = 0;
  std::int64_t arrived_late = 0;  // groups that came just before a claim, and were accepted
  std::int64_t archived = 0;      // entries that moved to an archive
  std::uint64_t chain = 0;  // of the journals: equal seeds have equal ones
};
Verdict simulate(std::uint64_t seed, Planted planted = Planted::kNone);

struct Killed {};  // thrown where a node that is killed stands

class World {
 public:
  explicit World(std::uint64_t seed, Planted planted);
  ~World();
  Verdict run();

  struct Node;
  struct Client;
  // A request of a client, until it is answered.
  struct Request {
    std::string model, verb, body, request_id;
    double cost = 0.0;     // of an outcome
    std::string decision;  // that an outcome is about
    std::string answer;    // the body of the first answer with 200
    int status = 0;        // of the last answer that counts; 0: none yet
    int tries = 0;
    std::int64_t sent_at = 0;
    bool done = false;
  };

  std::int64_t millis() const { return millis_; }
  std::int64_t seconds() const { return kBegin + millis_ / 1000; }
  void at(std::int64_t millis, std::function<void()> run);
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool chance(double probability) {
    return static_cast<double>(draw(1'000'000)) < probability * 1e6;
  }
  bool faulty() const { return millis_ < calm_from_; }
  bool outage() const { return faulty() && millis_ < outage_until_; }
  Planted planted() const { return planted_; }
  SharedLog& log() { return *log_; }

  // What the seed decides.
  struct Faults {
    double lost_call = 0, lost_answer = 0, late_append = 0, twice = 0, long_pause = 0,
           lost_message = 0;
  };
  const Faults& faults() const { return faults_; }
  void wrong(const std::string& what);
  // A group that is on its way to the store: it arrives after that time, or just before the next claim of
  // its model, where it leaves the new owner entries that no follower has folded.
  void later(const std::string& model, std::int64_t millis, std::function<void()> arrive);
  void arrive_now(const std::string& model);
  // The folder of the archives; empty: entries stay in their journals.
  const std::string& archive() const { return archive_; }

  static constexpr std::int64_t kBegin = 1'800'000'000;  // UTC seconds
  static constexpr std::int64_t kMaxSkewSeen = 5;        // of entries, in seconds

 private:
  friend class Checks;
  void make_models();
  void start_node(Node& node);
  void kill_node(Node& node);
  void run_node(Node& node);
  void deliver(Node& node);
  void wake(Node& node, std::int64_t millis);
  void plan_faults();
  void next_request(Client& client);
  void send(Client& client, const std::shared_ptr<Request>& request);
  void answered(Client& client, const std::shared_ptr<Request>& request,
                const serve::HttpResponse& answer);
  void step_time(std::int64_t until);
  bool all_done() const;
  bool states_agree();

  Planted planted_;
  std::mt19937_64 random_;
  std::int64_t millis_ = 0, calm_from_ = 0, outage_until_ = -1;
  std::uint64_t order_ = 0;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> events_;
  std::shared_ptr<SharedLog> log_;
  struct Late {
    std::string model;
    std::function<void()> arrive;  // empty: it has arrived
  };
  std::vector<std::shared_ptr<Late>> late_;
  std::string archive_;
  Faults faults_;
  std::vector<std::string> models_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::shared_ptr<Request>> requests_;  // all
  Verdict verdict_;
};

}  // namespace rein::cluster

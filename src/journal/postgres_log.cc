#include "journal/postgres_log.h"

#include <fmt/format.h>

#include "journal/postgres_background.h"
#include "journal/postgres_directory.h"
#include "journal/postgres_entries.h"
#include "journal/postgres_schema.h"
#include "journal/postgres_snapshots.h"
#include "journal/postgres_store.h"

namespace rein {
namespace {

using postgres::Background;
using postgres::Connection;
using postgres::Directory;
using postgres::Durable;
using postgres::Entries;
using postgres::Rows;
using postgres::Servers;
using postgres::SnapshotTable;
using postgres::Query;
using postgres::Store;

constexpr Query kSettings{"settings",
                              "SELECT current_setting('fsync'), "
                              "current_setting('full_page_writes'), "
                              "current_setting('synchronous_standby_names')"};

class PostgresLog final : public SharedLog {
 public:
  PostgresLog(std::unique_ptr<Servers> servers, const PostgresOptions& options)
      : store_(std::move(servers), options.deadline, options.connections),
        entries_(store_),
        snapshots_(store_),
        directory_(store_),
        background_(store_, entries_) {}

  // Makes the tables, and says what is risky about the settings of the server.
  Result<> prepare(const PostgresOptions& options) {
    auto made = store_.call(Durable::kYes, [](Connection& connection, auto until) -> Result<Rows> {
      if (auto tables = postgres::make_tables(connection, until); !tables) return tables.failure();
      return connection.run(kSettings, {}, until);
    });
    if (!made) return made.failure();
    if (!options.notice) return {};
    const Rows& rows = made.value();
    if (rows.bytes(0, 0) == "off" || rows.bytes(0, 1) == "off") {
      options.notice(
          "PostgreSQL runs with fsync or full_page_writes off: entries that were acknowledged can "
          "be lost with the power");
    }
    if (rows.bytes(0, 2).empty()) {
      options.notice(
          "PostgreSQL has no synchronous standby (synchronous_standby_names is empty): entries "
          "that were acknowledged can be lost with its machine");
    }
    return {};
  }

  Result<LogHead> head(const std::string& model) override { return entries_.head(model); }
  Result<LogHead> claim(const std::string& model, const std::string& node, bool create) override {
    auto head = entries_.claim(model, node, create);
    if (head && head.value().first > 1) background_.entries_dropped(model);
    return head;
  }
  Result<> append(const std::string& model, const LogGroup& group) override {
    auto done = entries_.append(model, group);
    if (done) background_.entries_came();
    return done;
  }
  Result<LogSlice> read(const std::string& model, std::int64_t from,
                        std::size_t most_bytes) override {
    return entries_.read(model, from, most_bytes);
  }
  Result<> drop_before(const std::string& model, std::int64_t epoch, std::int64_t number) override {
    auto done = entries_.drop_before(model, epoch, number);
    if (done) background_.entries_dropped(model);
    return done;
  }
  void wait_for_entries(std::chrono::milliseconds most) override {
    background_.wait_for_entries(most);
  }

  Result<std::int64_t> put_snapshot(const std::string& model, const Snapshot& snapshot) override {
    return snapshots_.put(model, snapshot);
  }
  Result<std::vector<std::int64_t>> snapshot_positions(const std::string& model) override {
    return snapshots_.positions(model);
  }
  Result<Snapshot> snapshot(const std::string& model, std::int64_t position) override {
    return snapshots_.read(model, position);
  }

  Result<ClusterView> beat(const NodeBeat& beat) override {
    auto view = directory_.beat(beat);
    if (view) background_.set_alone(view.value().nodes.size() <= 1);
    return view;
  }
  Result<bool> take_lease(const std::string& model, const std::string& node,
                          std::chrono::milliseconds lease) override {
    return directory_.take_lease(model, node, lease);
  }
  Result<> give_lease(const std::string& model, const std::string& node, const std::string& to,
                      std::chrono::milliseconds lease) override {
    return directory_.give_lease(model, node, to, lease);
  }
  Result<> pin(const std::string& model, const std::string& node) override {
    return directory_.pin(model, node);
  }

 private:
  Store store_;
  Entries entries_;
  SnapshotTable snapshots_;
  Directory directory_;
  Background background_;  // last, because its thread uses the others
};

}  // namespace

Result<std::shared_ptr<SharedLog>> open_postgres_log(const std::string& address,
                                                     const PostgresOptions& options) {
  auto servers = Servers::parse(address);
  if (!servers) return servers.failure();
  auto log = std::make_shared<PostgresLog>(std::move(servers).value(), options);
  if (auto ready = log->prepare(options); !ready) return ready.failure();
  return std::shared_ptr<SharedLog>(std::move(log));
}

}  // namespace rein

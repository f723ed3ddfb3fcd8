#include "journal/postgres_directory.h"

#include <fmt/format.h>

#include <algorithm>

namespace rein::postgres {
namespace {

// Nodes that have not been heard of for a day are forgotten.
constexpr Query kBeat{"beat", R"sql(
WITH noted AS (
  INSERT INTO rein_nodes (node, address, at, models, positions)
  VALUES ($1, $2, clock_timestamp(), $5, $6)
  ON CONFLICT (node) DO UPDATE SET address = excluded.address, at = excluded.at,
    models = excluded.models, positions = excluded.positions
), forgotten AS (
  DELETE FROM rein_nodes WHERE at < clock_timestamp() - interval '1 day' AND node <> $1
), kept AS (
  UPDATE rein_leases SET given = false,
    until = greatest(until, clock_timestamp() + $3::bigint * interval '1 millisecond')
  WHERE holder = $1 AND model = ANY ($4::text[])
)
UPDATE rein_leases SET holder = '', until = clock_timestamp()
WHERE holder = $1 AND NOT given AND NOT model = ANY ($4::text[])
)sql"};

constexpr Query kNodes{"nodes", R"sql(
SELECT node, address, (extract(epoch FROM clock_timestamp() - at) * 1000)::bigint, models, positions,
       extract(epoch FROM clock_timestamp())::bigint
FROM rein_nodes
)sql"};

constexpr Query kModels{"models", R"sql(
SELECT coalesce(h.model, l.model), coalesce(l.holder, ''),
       (extract(epoch FROM coalesce(l.until, 'epoch') - clock_timestamp()) * 1000)::bigint,
       coalesce(l.pinned, ''), h.first, h.before, h.last, h.chain, h.epoch, h.owner
FROM rein_heads h FULL JOIN rein_leases l USING (model)
WHERE h.model IS NOT NULL OR l.holder <> ''
)sql"};

constexpr Query kTakeLease{"take_lease", R"sql(
INSERT INTO rein_leases AS l (model, holder, until)
VALUES ($1, $2, clock_timestamp() + $3::bigint * interval '1 millisecond')
ON CONFLICT (model) DO UPDATE SET holder = excluded.holder, until = excluded.until, given = false
WHERE l.holder = '' OR l.holder = excluded.holder OR l.until <= clock_timestamp()
)sql"};

constexpr Query kGiveLease{"give_lease", R"sql(
UPDATE rein_leases SET holder = $3, given = true,
  until = clock_timestamp() + $4::bigint * interval '1 millisecond'
WHERE model = $1 AND holder = $2
)sql"};
constexpr Query kHolder{"holder", R"sql(
SELECT coalesce(l.holder, '') FROM rein_heads h LEFT JOIN rein_leases l USING (model)
WHERE h.model = $1
)sql"};

constexpr Query kPin{"pin", R"sql(
INSERT INTO rein_leases (model, pinned) SELECT model, $2 FROM rein_heads WHERE model = $1
ON CONFLICT (model) DO UPDATE SET pinned = excluded.pinned
)sql"};

}  // namespace

Result<ClusterView> Directory::beat(const NodeBeat& beat) {
  std::vector<std::string> models;
  std::vector<std::int64_t> positions;
  for (const NodeBeat::Followed& followed : beat.followed) {
    models.push_back(followed.model);
    positions.push_back(followed.position);
  }
  Values values;
  values.text(beat.node).text(beat.address).number(beat.lease.count());
  values.texts(beat.held).texts(models).numbers(positions);
  if (!beat.node.empty()) {
    if (auto noted = store_.ask(Durable::kNo, kBeat, values); !noted) return noted.failure();
  }
  ClusterView view;
  if (auto read = read_nodes(view); !read) return read.failure();
  if (auto read = read_models(view); !read) return read.failure();
  return view;
}

Result<> Directory::read_nodes(ClusterView& view) {
  auto answer = store_.ask(Durable::kNo, kNodes, {});
  if (!answer) return answer.failure();
  const Rows& rows = answer.value();
  for (int row = 0; row < rows.count(); ++row) {
    ClusterView::Node node{.name = rows.text(row, 0),
                           .address = rows.text(row, 1),
                           .age_millis = rows.number(row, 2),
                           .followed = {}};
    const auto models = rows.texts(row, 3);
    const auto positions = rows.numbers(row, 4);
    for (std::size_t i = 0; i < std::min(models.size(), positions.size()); ++i) {
      node.followed.push_back({models[i], positions[i]});
    }
    view.nodes.push_back(std::move(node));
    view.now = rows.number(row, 5);
  }
  std::ranges::sort(view.nodes, {}, &ClusterView::Node::name);
  return {};
}

Result<> Directory::read_models(ClusterView& view) {
  auto answer = store_.ask(Durable::kNo, kModels, {});
  if (!answer) return answer.failure();
  const Rows& rows = answer.value();
  for (int row = 0; row < rows.count(); ++row) {
    ClusterView::Model model{.name = rows.text(row, 0),
                             .holder = rows.text(row, 1),
                             .lease_millis = rows.number(row, 2),
                             .pinned = rows.text(row, 3),
                             .head = {}};
    if (!rows.is_null(row, 4)) {
      model.head = {.first = rows.number(row, 4),
                    .before = unsigned_of(rows.number(row, 5)),
                    .last = rows.number(row, 6),
                    .chain = unsigned_of(rows.number(row, 7)),
                    .epoch = rows.number(row, 8),
                    .owner = rows.text(row, 9)};
    }
    view.models.push_back(std::move(model));
  }
  std::ranges::sort(view.models, {}, &ClusterView::Model::name);
  return {};
}

Result<bool> Directory::take_lease(const std::string& model, const std::string& node,
                                   std::chrono::milliseconds lease) {
  auto rows =
      store_.ask(Durable::kNo, kTakeLease, Values().text(model).text(node).number(lease.count()));
  if (!rows) return rows.failure();
  return rows.value().touched() == 1;
}

Result<> Directory::give_lease(const std::string& model, const std::string& node,
                               const std::string& to, std::chrono::milliseconds lease) {
  Values values;
  values.text(model).text(node).text(to).number(lease.count());
  auto rows = store_.ask(Durable::kNo, kGiveLease, values);
  if (!rows) return rows.failure();
  if (rows.value().touched() == 1) return {};
  auto holder = store_.ask(Durable::kNo, kHolder, Values().text(model));
  if (!holder) return holder.failure();
  if (holder.value().count() == 0) return unknown_model(model);
  const std::string name = holder.value().text(0, 0);
  if (name == to) return {};  // it was given, and the answer was lost
  return Error{fmt::format("model {}: {} has its lease", model, name.empty() ? "nobody" : name),
               Reason::kFenced};
}

Result<> Directory::pin(const std::string& model, const std::string& node) {
  auto rows = store_.ask(Durable::kYes, kPin, Values().text(model).text(node));
  if (!rows) return rows.failure();
  return rows.value().touched() == 1 ? Result<>() : Result<>(unknown_model(model));
}

}  // namespace rein::postgres

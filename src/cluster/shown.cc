#include "cluster/shown.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"

namespace rein::cluster {
namespace {

void write_nodes(JsonWriter& json, const ClusterView& view, std::int64_t lease) {
  json.key("nodes").begin_array();
  for (const ClusterView::Node& node : view.nodes) {
    json.begin_object().key("name").value(node.name).key("address").value(node.address);
    json.key("lives").value(node.age_millis < lease).key("age_millis").value(node.age_millis);
    json.end_object();
  }
  json.end_array();
}

void write_model(JsonWriter& json, const ClusterView& view, const ClusterView::Model& model,
                 const std::map<std::string, Takeover>& takeovers) {
  json.begin_object().key("name").value(model.name);
  const bool owned = !model.holder.empty() && model.lease_millis > 0;
  json.key("owner").value(owned ? model.holder : "");
  json.key("epoch").value(model.head.epoch).key("entries").value(model.head.last);
  json.key("pinned").value(model.pinned);
  json.key("followers").begin_array();
  for (const ClusterView::Node& node : view.nodes) {
    const auto followed = std::ranges::find(node.followed, model.name, &NodeBeat::Followed::model);
    if (followed == node.followed.end() || node.name == model.holder) continue;
    json.begin_object().key("node").value(node.name);
    json.key("behind").value(std::max<std::int64_t>(0, model.head.last - followed->position));
    json.end_object();
  }
  json.end_array();
  if (const auto found = takeovers.find(model.name); found != takeovers.end()) {
    json.key("takeover").begin_object().key("at").value(found->second.at);
    json.key("seconds").value(found->second.seconds);
    json.key("entries").value(found->second.entries).end_object();
  }
  json.end_object();
}

}  // namespace

std::string cluster_json(const Member& member) {
  const ClusterView view = member.view();
  const auto takeovers = member.takeovers();
  JsonWriter json;
  json.begin_object().key("node").value(member.options().node);
  json.key("heard").value(member.is_heard()).key("clock_skew").value(member.clock_skew());
  write_nodes(json, view, member.options().lease.count());
  json.key("models").begin_array();
  for (const ClusterView::Model& model : view.models) {
    if (model.head.last > 0) write_model(json, view, model, takeovers);
  }
  json.end_array().end_object();
  return json.str();
}

std::string cluster_metrics(const Member& member, const PassedCounts& counts) {
  const ClusterView view = member.view();
  const std::string& node = member.options().node;
  std::string out;
  const auto head = [&](const char* name, const char* type, const char* help) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  };
  head("rein_cluster_heard", "gauge", "1 while the store answers the beats of this node.");
  out += fmt::format("rein_cluster_heard{{node=\"{}\"}} {}\n", node, member.is_heard() ? 1 : 0);
  head("rein_cluster_nodes", "gauge", "Nodes that were heard of within the lease.");
  const auto lives = std::ranges::count_if(view.nodes, [&](const ClusterView::Node& each) {
    return each.age_millis < member.options().lease.count();
  });
  out += fmt::format("rein_cluster_nodes {}\n", lives);
  head("rein_cluster_clock_skew_seconds", "gauge", "Own clock minus that of the store.");
  out += fmt::format("rein_cluster_clock_skew_seconds {}\n", member.clock_skew());
  head("rein_cluster_passed_on_total", "counter", "Requests that were passed on to another node.");
  out += fmt::format("rein_cluster_passed_on_total {}\n", counts.passed_on);
  head("rein_cluster_waited_total", "counter", "Requests that waited for an owner.");
  out += fmt::format("rein_cluster_waited_total {}\n", counts.waited);
  head("rein_cluster_owner", "gauge", "1: the node that owns a model.");
  for (const ClusterView::Model& model : view.models) {
    if (model.holder.empty() || model.head.last == 0) continue;
    out +=
        fmt::format("rein_cluster_owner{{model=\"{}\",node=\"{}\"}} 1\n", model.name, model.holder);
  }
  head("rein_cluster_epoch", "gauge", "Claims of a model so far.");
  for (const ClusterView::Model& model : view.models) {
    out += fmt::format("rein_cluster_epoch{{model=\"{}\"}} {}\n", model.name, model.head.epoch);
  }
  head("rein_cluster_behind_entries", "gauge",
       "Entries that a follower on this node has not folded.");
  const auto positions = member.positions();
  for (const ClusterView::Model& model : view.models) {
    const auto found = positions.find(model.name);
    if (found == positions.end()) continue;
    out += fmt::format("rein_cluster_behind_entries{{model=\"{}\"}} {}\n", model.name,
                       std::max<std::int64_t>(0, model.head.last - found->second));
  }
  const auto takeovers = member.takeovers();
  head("rein_cluster_takeovers_total", "counter", "Models that this node took over.");
  for (const auto& [model, takeover] : takeovers) {
    out += fmt::format("rein_cluster_takeovers_total{{model=\"{}\"}} {}\n", model, takeover.count);
  }
  head("rein_cluster_takeover_seconds", "gauge", "Duration of the last takeover on this node.");
  for (const auto& [model, takeover] : takeovers) {
    out +=
        fmt::format("rein_cluster_takeover_seconds{{model=\"{}\"}} {}\n", model, takeover.seconds);
  }
  return out;
}

}  // namespace rein::cluster

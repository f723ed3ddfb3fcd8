#include "journal/kafka_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rein::kafka {
namespace {

// Kafka's limit for names of topics is 249; a model has 64 characters, of which each may need three.
constexpr std::size_t kMostName = 40;
// Kafka's limit for the number of copies is that of brokers.
constexpr int kMostReplicas = 100;

constexpr std::string_view kAccepted = "accepted: kafka://HOST:PORT,HOST:PORT/NAME?OPTION=VALUE";

Error refused(const std::string& found) {
  return {fmt::format("journal: {}; {}", found, kAccepted)};
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

// %20 and the like; what is no such thing stays.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out.push_back(static_cast<char>(value));
      at += 2;
    } else {
      out.push_back(text[at]);
    }
  }
  return out;
}

Result<> take_option(Address& address, const std::string& key, const std::string& value) {
  if (key == "replicas") {
    const auto read = std::from_chars(value.data(), value.data() + value.size(), address.replicas);
    if (read.ec == std::errc() && read.ptr == value.data() + value.size() &&
        address.replicas >= 1 && address.replicas <= kMostReplicas) {
      return {};
    }
    return Error{fmt::format("journal: found replicas={}; accepted: 1 to {}", value, kMostReplicas)};
  }
  constexpr std::string_view kTopic = "topic.";
  if (key.starts_with(kTopic) && key.size() > kTopic.size()) {
    address.topic.emplace_back(key.substr(kTopic.size()), value);
  } else if (key.find('.') != std::string::npos) {
    address.client.emplace_back(key, value);
  } else {
    return Error{fmt::format(
        "journal: found the option \"{}\"; accepted: replicas, topic.KEY for topics that are made, "
        "and settings of librdkafka, which have a dot, such as security.protocol",
        key)};
  }
  return {};
}

}  // namespace

std::string Address::journal(const std::string& model) const {
  std::string full = name + ".journal.";
  for (const char c : model) {
    if (is_plain(c)) {
      full.push_back(c);
    } else {
      full += fmt::format("_{:02x}", static_cast<unsigned char>(c));
    }
  }
  return full;
}

Result<Address> parse_address(const std::string& text) {
  constexpr std::string_view kScheme = "kafka://";
  if (!text.starts_with(kScheme)) return refused("the address does not begin with kafka://");
  std::string_view rest = std::string_view(text).substr(kScheme.size());
  Address address;
  std::string_view options;
  if (const auto at = rest.find('?'); at != std::string_view::npos) {
    options = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  const auto slash = rest.find('/');
  address.brokers = rest.substr(0, slash);
  if (address.brokers.empty()) return refused("the address has no broker");
  if (slash != std::string_view::npos) address.name = rest.substr(slash + 1);
  if (address.name.empty() || address.name.size() > kMostName ||
      !std::ranges::all_of(address.name, is_plain)) {
    return Error{fmt::format(
        "journal: found the name \"{}\" in the address of Kafka; accepted: 1 to {} letters, digits and -",
        address.name, kMostName)};
  }
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find('&'));
    options.remove_prefix(std::min(option.size() + 1, options.size()));
    const auto equals = option.find('=');
    if (equals == std::string_view::npos) return refused(fmt::format("\"{}\" has no =", option));
    if (auto taken = take_option(address, decoded(option.substr(0, equals)),
                                 decoded(option.substr(equals + 1)));
        !taken) {
      return taken.failure();
    }
  }
  return address;
}

}  // namespace rein::kafka

// rein token: a new token for callers of a service, and what the settings keep of it.
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "http/sha256.h"
#include "output.h"
#include "verbs.h"

namespace rein::app {
namespace {

// 256 bits: nobody finds it by trying.
constexpr std::size_t kTokenBytes = 32;

std::string new_token() {
  std::ifstream source("/dev/urandom", std::ios::binary);
  serve::Sha256 bytes{};
  static_assert(sizeof bytes == kTokenBytes);
  source.read(reinterpret_cast<char*>(bytes.data()), sizeof bytes);
  if (!source) throw UsageError("token: /dev/urandom cannot be read");
  return "rein_" + serve::hex_of(bytes);
}

}  // namespace

Verb add_token(CLI::App& program) {
  struct Words {
    std::string name = "caller";
    std::vector<std::string> roles{"decide", "report"};
  };
  auto words = std::make_shared<Words>();
  CLI::App* verb = program.add_subcommand("token", "A new token for callers of a service, and its digest");
  verb->add_option("name", words->name, "Name of the token: in the settings, the journal and the log")
      ->type_name("NAME");
  verb->add_option("--role", words->roles, "What it may do; repeat for several")
      ->check(CLI::IsMember({"decide", "report", "read", "admin"}))
      ->type_name("ROLE");
  verb->footer(
      "Prints the token, once, and lines for rein.toml, which have only its digest:\n"
      "  rein token shop --role decide --role report\n"
      "To replace a token, add the new one beside it, restart, change the callers, and take the old one\n"
      "away. docs/service.md has what each role may do.");
  return [words] {
    const std::string token = new_token();
    std::string roles;
    for (const std::string& role : words->roles) roles += fmt::format("{}\"{}\"", roles.empty() ? "" : ", ", role);
    fmt::print("# The token, which is kept nowhere: {}\n[[service.tokens]]\nname = \"{}\"\ndigest = \"sha256:{}\"\nroles = [{}]\n",
               token, words->name, serve::hex_of(serve::sha256(token)), roles);
    return kOk;
  };
}

}  // namespace rein::app

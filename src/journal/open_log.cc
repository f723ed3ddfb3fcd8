#include "journal/open_log.h"

#include <fmt/format.h>

#include "journal/kafka_log.h"
#include "journal/postgres_log.h"

namespace rein {

Result<std::shared_ptr<SharedLog>> open_shared_log(const std::string& address,
                                                   const OpenLogOptions& options) {
  if (address.starts_with("postgres://") || address.starts_with("postgresql://")) {
    PostgresOptions postgres;
    postgres.deadline = options.deadline;
    postgres.notice = options.notice;
    return open_postgres_log(address, postgres);
  }
  if (address.starts_with("kafka://")) {
    return open_kafka_log(address, {.deadline = options.deadline, .notice = options.notice});
  }
  // What follows the scheme may have a password.
  return Error{fmt::format(
      "journal: found an address that begins with \"{}\"; accepted: postgres://HOST:PORT/DATABASE, "
      "kafka://HOST:PORT,HOST:PORT/NAME",
      address.substr(0, std::min(address.find("//"), std::size_t{12})))};
}

}  // namespace rein

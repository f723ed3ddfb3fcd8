// Instead of postgres_log.cc, in a build without libpq.
#include "journal/postgres_log.h"

namespace rein {

Result<std::shared_ptr<SharedLog>> open_postgres_log(const std::string&, const PostgresOptions&) {
  return Error{
      "this program was built without libpq, so it cannot keep journals in PostgreSQL (on Debian: "
      "apt-get install libpq-dev, and build again)"};
}

}  // namespace rein

// A SharedLog in a database of PostgreSQL, 12 or later, with or without standbys.
//
// A group of entries is one statement, which commits by itself: it moves the end of the journal from
// where the group begins to where it ends, if the epoch is still that of the group, and inserts the
// entries. So of two owners one finds the end elsewhere and inserts nothing. Commits wait for the
// disk, and for the standby where `synchronous_standby_names` names one. Without such a standby, what was
// acknowledged last can be lost with the machine of the database.
//
// What rein cannot see to: a primary that was replaced must be stopped, or be unable to commit because its
// synchronous standby is gone. PostgreSQL does not choose a new primary by itself (docs/cluster.md).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "journal/shared_log.h"
#include "rein/result.h"

namespace rein {

struct PostgresOptions {
  // A call that is not answered within this time has failed, whatever the network and the server do.
  std::chrono::milliseconds deadline{5'000};
  // Connections of this process that commit entries; there are up to four others.
  int connections = 8;
  // Called with what a person should know about the database and what is no error.
  std::function<void(const std::string&)> notice;
};

// Connects to postgres://USER@HOST1:PORT,HOST2:PORT/DATABASE?OPTION=VALUE, with the options of libpq.
// Missing tables are made. kInvalid: the address cannot be read, or this program was built without
// libpq. kFailed: the database cannot be reached or used.
Result<std::shared_ptr<SharedLog>> open_postgres_log(const std::string& address,
                                                     const PostgresOptions& options = {});

}  // namespace rein

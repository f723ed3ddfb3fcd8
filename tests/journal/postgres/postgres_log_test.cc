// A SharedLog in PostgreSQL keeps what every SharedLog promises.
#include "journal/postgres_log.h"

#include "journal/postgres/server_model.h"
#include "journal/shared_log_contract.h"

namespace rein {
namespace {

std::string& place() {
  static std::string address;
  return address;
}

INSTANTIATE_TEST_SUITE_P(Postgres, SharedLogContract,
                         testing::Values(LogMaker{
                             "postgres",
                             [] {
                               place() = shared_server().new_place();
                               return open_postgres_log(place()).value();
                             },
                             [] { return open_postgres_log(place()).value(); }}),
                         name_of_maker);

}  // namespace
}  // namespace rein

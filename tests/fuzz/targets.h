// Fuzz targets. Each passes any bytes to one entry point of the library and checks its guarantees.
// expect() throws if a guarantee fails; the sanitizers detect memory errors.
//
//     make fuzz                       every target with libFuzzer, ASan and UBSan
//     build/tests/fuzz_test           the kept corpus and fresh mutations, as a plain test
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rein::fuzz {

using Bytes = std::string_view;

void spec(Bytes bytes);      // a spec: prints and parses back to the same text
void options(Bytes bytes);   // a policy's spec: refused, or the policy decides and learns
void table(Bytes bytes);     // a CSV or gzip file as a table: refused by line, or rows of numbers
void result(Bytes bytes);    // a line of finished plays: refused, or written again as it was
void record(Bytes bytes);    // a record of the engine: refused and nothing changed, or folded
void snapshot(Bytes bytes);  // a snapshot: refused, or an engine that goes on
void policy(Bytes bytes);    // saved state of a policy: refused and as before, or it decides
void schema(Bytes bytes);    // a saved schema: refused, or it encodes and is saved again
// A snapshot file of the service: refused as damaged, or written again as it was.
void snapshot_file(Bytes bytes);
// The database of a journal: refused as damaged, or an exact prefix of its entries.
void journal(Bytes bytes);
void http_request(Bytes bytes);  // a request to the service: refused, or the same in any pieces
// Of the service:
void body(Bytes bytes);      // a request to a model, its verb first: refused and nothing changed
void document(Bytes bytes);  // of a new model: refused with its field, or a model
void settings(Bytes bytes);  // rein.toml: refused with its place, or documents that are accepted
void event(Bytes bytes);     // a journal entry: refused, or folded
void model_snapshot(Bytes bytes);  // a snapshot of a model: refused, or written the same

// Logs: refused by line, or rows that are consistent.
void log_csv(Bytes bytes);
void log_jsonl(Bytes bytes);
void log_dsjson(Bytes bytes);
void log_vw(Bytes bytes);
void log_columns(Bytes bytes);

// Inputs that the entry point accepts, made by the current code, so that mutations of them pass the
// first check in any format version. Empty for text, whose seeds are files.
std::vector<std::string> record_seeds();
std::vector<std::string> snapshot_seeds();
std::vector<std::string> policy_seeds();
std::vector<std::string> schema_seeds();
std::vector<std::string> snapshot_file_seeds();
std::vector<std::string> journal_seeds();
std::vector<std::string> body_seeds();
std::vector<std::string> document_seeds();
std::vector<std::string> event_seeds();
std::vector<std::string> model_snapshot_seeds();
std::vector<std::string> log_columns_seeds();

inline void expect(bool promise, const char* what) {
  if (!promise) throw std::logic_error(what);
}

}  // namespace rein::fuzz

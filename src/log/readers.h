// The readers and writers, one per format. open_log() and create_log() choose among them.
#pragma once

#include <memory>
#include <string>

#include "rein/log.h"

namespace rein {

using MadeReader = Result<std::unique_ptr<LogReader>>;
MadeReader read_csv_log(const std::string& path, const LogOptions& options);
MadeReader read_vw_log(const std::string& path, const LogOptions& options);
MadeReader read_dsjson_log(const std::string& path, const LogOptions& options);
MadeReader read_jsonl_log(const std::string& path, const LogOptions& options);
MadeReader read_columns_log(const std::string& path, const LogOptions& options);

// Hashes sparse features and multiplies them, as LogOptions::bits and quadratic ask. `text`: names have
// the meaning of Vowpal Wabbit's text, otherwise that of its JSON.
MadeReader derive_features(std::unique_ptr<LogReader> reader, const LogOptions& options, bool text);

using MadeWriter = Result<std::unique_ptr<LogWriter>>;
MadeWriter write_csv_log(const std::string& path);
MadeWriter write_vw_log(const std::string& path);
MadeWriter write_cb_log(const std::string& path);
MadeWriter write_dsjson_log(const std::string& path);
MadeWriter write_jsonl_log(const std::string& path);
MadeWriter write_columns_log(const std::string& path);

}  // namespace rein

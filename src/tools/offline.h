// A model read without a service: its folder must be a copy, or the service must be stopped. Nothing
// in it is changed. The verbs inspect, replay, verify-journal and export stand on this.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "journal/journal.h"
#include "serve/fold.h"

namespace rein::serve {

struct ModelFolder {
  std::string name;
  std::string path;
};

// The models of a data folder, sorted by name, or the single model whose folder `path` is. kInvalid
// if there is none.
Result<std::vector<ModelFolder>> model_folders(const std::string& path);
// The folder of a single model: DATA/MODEL, or DATA if it has only one model.
Result<ModelFolder> model_folder(const std::string& path);
// The folder at `path`, without looking into it: for a model whose journal may be damaged or
// missing.
ModelFolder folder_of_model(const std::string& path);
// With its archive, as one journal. Refuses with kFailed while a service has it open.
Result<std::unique_ptr<Journal>> open_journal_of(const ModelFolder& folder);

}  // namespace rein::serve

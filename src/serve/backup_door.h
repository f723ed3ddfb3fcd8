// BackupDoor: a local socket through which `rein backup` reads the journals of models that are being served.
// Only the service's own user and root are answered. The HTTP API never gives journals away, because they
// have the secrets of models. The socket is no file (unix(7): abstract), so a data folder has files only, and
// both ends ask the system who the other is.
//
// The caller sends "MODEL FROM\n". The answer begins with one line:
//     entries LAST CHAIN BEFORE\n    then the entries FROM to LAST, each as a length of 4 bytes (little
//                                    endian) and its bytes; chain values are 16 hex digits
//     gone FIRST\n                   the journal begins after FROM, with entry FIRST
//     refused WHY\n
// Entries are read between two groups of the model's writer, some at a time, as for a snapshot.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "rein/result.h"
#include "serve/writer.h"

namespace rein::serve {

class BackupDoor {
 public:
  using Find = std::function<std::shared_ptr<Writer>(const std::string& name)>;
  // kFailed: somebody has the name already, or the system has no socket or thread left.
  static Result<std::unique_ptr<BackupDoor>> open(const std::string& data, Find find);
  ~BackupDoor();  // cuts off a caller that is being answered
  BackupDoor(const BackupDoor&) = delete;
  BackupDoor& operator=(const BackupDoor&) = delete;

 private:
  BackupDoor(int listening, Find find);
  void loop();
  void answer(int caller) const;

  int listening_;
  Find find_;
  std::mutex mutex_;
  int caller_ = -1;  // the one that is being answered
  bool ending_ = false;
  std::thread thread_;
};

// A file descriptor that is connected to the door of a data folder; -1: there is none, or it belongs to
// another user than the folder.
int connect_to_door(const std::string& data);

}  // namespace rein::serve

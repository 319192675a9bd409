// What travels between the driver and its agents: calls of tasks, by name and by the keys of what
// they read, and how they ended.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "runtime/context.h"

namespace rt::net {

/// A parcel's number: dealt by the driver, never twice in one epoch. 0: none.
using ParcelId = std::uint64_t;

/// A call of a task. Its body captures nothing, so this and the contents of its inputs are all that
/// another process needs to run it.
struct Call {
  std::string task;  ///< name and version of a registered task
  std::int32_t version = 1;
  std::uint64_t signature = 0;  ///< tells tasks of one name apart
  Device device = Device::cpu;
  base::Bytes constants;           ///< canonical, all in the order of the signature
  std::vector<base::Key> inputs;   ///< in the order of the signature
  std::vector<base::Key> outputs;  ///< likewise, the result last
  std::vector<std::uint8_t> back;  ///< for each output: 1 if its bytes are asked back
  std::int32_t priority = 0;       ///< larger is sooner
  std::int32_t cpus = 1;           ///< slots that it takes
  bool long_running = false;       ///< it goes to an agent only when slots are free there
};

/// A file that a call reads, by its content and by where the driver sees it.
struct FileInput {
  base::Key key;
  std::string path;
};

/// The content of a small value.
struct Content {
  base::Key key;
  base::Bytes bytes;
};

/// The graph behind one await: calls in an order in which each follows those that it reads from. An
/// input that no earlier call makes comes by key.
struct Parcel {
  ParcelId id = 0;
  /// Calls that stand for inputs: each agent makes them for itself rather than fetch what they
  /// make, as data sets are. They come before the others.
  std::vector<Call> sources;
  std::vector<Call> calls;
  std::vector<FileInput> files;
  std::vector<Content> contents;  ///< of small inputs
};

enum class End : std::uint8_t {
  made,       ///< all outputs are there
  failed,     ///< the last attempt failed
  cancelled,  ///< it never ran: an input failed, or its group was cancelled
  lost,       ///< every agent that it ran on was lost
};

/// An output as it was made. `bytes` are its content if `here`; else the agent keeps it.
struct Output {
  bool here = false;
  base::Bytes bytes;
  std::uint64_t size = 0;  ///< bytes of its content
};

/// What is left of an error that another process has caught: the parts of a rt::TaskError.
struct Trouble {
  std::int32_t kind = -1;  ///< a base::Errc; -1: no base::Error
  bool no_room = false;    ///< rt::NoRoom: no device of that kind can hold it
  std::int32_t attempt = 1;
  std::int32_t attempts = 1;
  std::string worker;
  std::string arguments;
  std::string reason;
};

/// How a call ended.
struct Outcome {
  End end = End::made;
  std::vector<Output> outputs;  ///< of one that was made, in the order of the signature
  Trouble trouble;              ///< of one that failed
  double seconds = 0;           ///< in its body
};

}  // namespace rt::net

#pragma once
// The agents of a session, as the log keeps them and other programs read them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"

namespace hpo {

/// Under this name the log notes them.
inline constexpr const char* kNodesFact = "nodes";

/// An agent of a session.
struct NodeInfo {
  std::string node;
  std::string state;  ///< joining, working, leaving, lost or left
  std::int64_t workers = 0;
  std::int64_t gpus = 0;
  std::int64_t parcels = 0;    ///< that it has now
  std::int64_t lent = 0;       ///< workers that help to train networks of other agents now
  std::int64_t done = 0;       ///< tasks
  std::int64_t bytes_in = 0;   ///< from it
  std::int64_t bytes_out = 0;  ///< to it
  double heard = 0;            ///< seconds since it was last heard
  double there = 0;            ///< seconds that it has been, or was, an agent of the session
  double busy = 0;             ///< seconds of computing by all of its workers, of tasks done
};

/// A list of objects with these names.
[[nodiscard]] std::string nodes_json(std::span<const NodeInfo> nodes);
/// The inverse.
[[nodiscard]] std::vector<NodeInfo> nodes_from_json(const std::string& text);

/// Asks the study's driver to send an agent away. Throws base::Error (storage).
void ask_to_dismiss(const base::Path& study, const std::string& node);
/// The agents that somebody asked to send away since the last time.
[[nodiscard]] std::vector<std::string> asked_to_dismiss(const base::Path& study);

}  // namespace hpo

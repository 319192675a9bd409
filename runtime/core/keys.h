// Keys: the names of nodes and versions by what they compute, or by their content.
#pragma once

#include <cstdint>

namespace rt::inline v0::detail {

class Handles;
class Mailbox;
struct Node;
struct Version;

/// How far the keys of files that no task makes can be relied on.
enum class FileKeys : std::uint8_t {
  known,     ///< the files were looked at just now
  changing,  ///< the files may have been changed since
};

/// Finds out the key of a complete version from its content, if it has none. Throws base::Error
/// (storage) for a file that cannot be read. Driver thread only.
void key_by_content(Version& version, Handles& handles);
/// Finds out the key of a file's content if no task makes it. Throws base::Error (storage) when the
/// file cannot be read. Driver thread only.
void key_file(Version& content);
/// Names a node, and what it makes, by what it computes. Returns false while the key of an input is
/// not known. Throws as key_by_content does. Driver thread only.
[[nodiscard]] bool key_node(Node& node, FileKeys files, Handles& handles);
/// Sends the driver an event for each input without a key, once the input is complete. The driver
/// then goes on with those outputs of the node that were asked for. Driver thread only.
void wait_for_keys(Node& node, Mailbox& mailbox);

}  // namespace rt::inline v0::detail

#pragma once
// The local socket in a study's folder, through which its keeper is spoken to.

#include <sys/types.h>

#include <cstddef>
#include <optional>

#include "base/file.h"

namespace hpo {

/// Version of what is said over it; grows when a client of today would misunderstand an answer.
inline constexpr int kAskProtocol = 1;

inline constexpr const char* kAskSocket = "ask.sock";

/// Bytes that a line may have, in both directions.
inline constexpr std::size_t kLongestAskLine = std::size_t{1} << 20;

/// The socket of a study's folder, as long as the study is there. Only for the holder of its lock.
class AskListener {
 public:
  /// Listens in `folder`, in place of whoever did before. Only processes of the same user can
  /// connect. The socket does not block. Throws base::Error (storage).
  explicit AskListener(const base::Path& folder);
  /// Removes the socket, but none that somebody else has put there since.
  ~AskListener();
  AskListener(const AskListener&) = delete;
  AskListener& operator=(const AskListener&) = delete;

  [[nodiscard]] int fd() const { return socket_.fd(); }

  /// Whether those who connect still come here: makes the socket anew where it was removed. False
  /// where the folder, or the log in it, was removed or is another one's by now. Throws base::Error
  /// (storage).
  [[nodiscard]] bool stands();

 private:
  /// Which file a name stands for: nobody else gets these numbers while it is open here.
  struct Identity {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const Identity&) const = default;
  };
  [[nodiscard]] static std::optional<Identity> identity(int folder, const char* name);
  void listen();

  base::Path path_;
  base::File folder_, socket_;
  std::optional<Identity> log_, own_;
};

/// A connection to whoever listens in `folder`; nothing where nobody does. Throws base::Error
/// (storage) where the system refuses otherwise.
[[nodiscard]] std::optional<base::File> connect_in(const base::Path& folder);

}  // namespace hpo

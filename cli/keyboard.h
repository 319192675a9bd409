#pragma once
// Keys that are pressed while something is shown, without a line end.

#include <optional>

namespace cli {

/// While it lives, standard input, where it is a terminal, gives each key at once and shows none.
/// The terminal is as before when it ends, when a signal ends the process, while the process is
/// stopped (Ctrl-Z) and while it runs in the background. Ctrl-C and Ctrl-Z mean what they always
/// do. One at a time; from one thread.
class Keyboard {
 public:
  Keyboard();
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  /// True where keys can be read: not without a terminal, and not in the background.
  [[nodiscard]] bool works() const;
  /// The next key that was pressed; waits at most `seconds` for one.
  [[nodiscard]] std::optional<char> pressed(double seconds = 0);
  /// True once after the process went on from a stop: what was shown may be gone.
  [[nodiscard]] bool went_on();
};

/// True if the terminal at `fd` is ours to write on: we are its foreground, or it has none.
[[nodiscard]] bool in_foreground(int fd);

}  // namespace cli

// Which keys of a store may have files of their own: to open one for each key that is absent would
// take most of the time of that answer, the usual one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "runtime/store/pack.h"

namespace rt::store {

/// Where one of a store's 256 folders has more files than this, each is looked for: to list them
/// would take more time than it saves.
inline constexpr std::size_t kMostListed = 4096;

/// Each of the folders is listed when a key that belongs there is first asked for. Of files that
/// other processes write since, the pack tells: it names each by an empty entry under a key made
/// from that of the file. One that the pack does not name (it drops old entries) is known to
/// processes that list the folder later; the others compute again what it holds. Thread-safe;
/// nothing throws but for want of memory.
class KnownFiles {
 public:
  /// `pack`, of the same folder, outlives this.
  KnownFiles(const base::Path& folder, Pack& pack) : folder_(folder), pack_(pack) {}

  /// False: nobody needs to look for a file of the key. Where true, there may be none.
  [[nodiscard]] bool may_have(base::Key key);
  /// Says, to other processes too, that the file is there.
  void add(base::Key key);

 private:
  enum class Branch : std::uint8_t { not_listed, listed, unknown };

  [[nodiscard]] bool is_listed(base::Key key);
  [[nodiscard]] Branch list(const std::string& digits);
  [[nodiscard]] auto bit_of(base::Key key) { return bits_[key.lo % kBits]; }

  /// 256 KiB: a hundred thousand files let one absent key in twenty be looked for.
  static constexpr std::size_t kBits = 1 << 21;

  const base::Path folder_;
  Pack& pack_;
  std::mutex mutex_;
  std::array<Branch, 256> branches_{};
  /// A Bloom filter of one hash: a table's nodes, which live long, would lie between large blocks
  /// that come and go, and keep them from being joined.
  std::vector<bool> bits_ = std::vector<bool>(kBits);
};

}  // namespace rt::store

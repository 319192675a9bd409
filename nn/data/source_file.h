#pragma once
// Bytes of a data file: read once, hashed as they lie on disk, decompressed piece by piece.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "nn/data/dataset.h"

namespace nn {

/// A whole regular file in memory. Throws DataError when it is missing, no regular file (a pipe
/// would hang, a folder has no bytes), larger than `max_bytes`, or cannot be read.
class SourceFile {
 public:
  SourceFile(std::string path, std::size_t max_bytes);
  /// Bytes that somebody has read already; the path is for messages.
  SourceFile(std::string path, std::vector<std::byte> raw)
      : path_(std::move(path)), raw_(std::move(raw)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> raw() const { return raw_; }
  /// Whether it starts like a gzip member; file names do not count.
  [[nodiscard]] bool gzip() const;

 private:
  std::string path_;
  std::vector<std::byte> raw_;
};

/// XXH3-128 of the bytes as they lie on disk; of a path without having them all in memory. Throws
/// DataError as SourceFile does.
[[nodiscard]] base::Key hash_of(const SourceFile& file);
[[nodiscard]] base::Key hash_of(const std::string& path, std::size_t max_bytes);
/// Compressed content may be any size up to kUnsuspicious, and beyond that so many times the bytes
/// it was unpacked from: tables stay far below, a file that is small only to unpack to gigabytes
/// does not.
inline constexpr std::size_t kUnsuspicious = std::size_t{24} << 20;
inline constexpr std::size_t kMostInflation = 200;

/// Throws DataError where `read` compressed bytes have given more than that.
void check_inflation(const std::string& path, std::uint64_t produced, std::uint64_t read);

/// One hash for several files in order.
[[nodiscard]] base::Key combine(std::span<const SourceFile> files);
[[nodiscard]] base::Key combine(std::span<const base::Key> files);

/// The content of a file from front to back, decompressed when it is gzip (RFC 1952, several
/// members one after the other included). The file must outlive the reader. Throws DataError for
/// damaged streams (checksums are verified), for content above `max_bytes` before it is handed out,
/// and for more than kMostInflation times the bytes read.
class ContentReader {
 public:
  ContentReader(const SourceFile& file, std::size_t max_bytes);
  ~ContentReader();
  ContentReader(const ContentReader&) = delete;
  ContentReader& operator=(const ContentReader&) = delete;

  /// Fills `out` as far as there is content; returns the bytes written, fewer only at the end.
  [[nodiscard]] std::size_t read(std::span<std::byte> out);

 private:
  struct Inflater;
  std::size_t copy_plain(std::span<std::byte> out);
  std::size_t inflate_some(std::span<std::byte> out);
  void count(std::size_t bytes);

  const SourceFile& file_;
  std::size_t max_bytes_, produced_ = 0, position_ = 0;
  std::unique_ptr<Inflater> inflater_;
};

/// All of a file's content: the file's own bytes, or `storage` where it had to be decompressed.
/// Memory grows with what was decompressed, never with what a header claims.
[[nodiscard]] std::string_view read_content(const SourceFile& file, std::size_t max_bytes,
                                            std::string& storage);

}  // namespace nn

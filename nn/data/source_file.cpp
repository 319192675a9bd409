#include "nn/data/source_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/new_file.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

/// A regular file that is open.
class OpenFile {
 public:
  // O_NONBLOCK only matters for the pipes that are refused right after.
  OpenFile(const std::string& path, std::size_t max_bytes)
      : path_(path), file_(base::open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK)) {
    if (!file_) throw DataError(path, "cannot open: " + base::errno_words(errno));
    measure(max_bytes);
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// The next bytes. Throws DataError where there are fewer.
  void read(std::span<std::byte> out) {
    const base::ReadResult read = base::read_into(file_.fd(), out);
    if (read.code != 0) throw DataError(path_, "cannot read: " + base::errno_words(read.code));
    if (read.bytes < out.size()) throw DataError(path_, "became shorter while it was read");
  }

 private:
  void measure(std::size_t max_bytes) {
    struct stat info = {};
    if (::fstat(file_.fd(), &info) != 0) throw DataError(path_, base::errno_words(errno));
    if (S_ISDIR(info.st_mode)) throw DataError(path_, "this is a folder, expected a file");
    if (!S_ISREG(info.st_mode)) throw DataError(path_, "this is not a regular file");
    size_ = static_cast<std::size_t>(info.st_size);
    if (size_ > max_bytes)
      throw DataError(
          path_, "the file has " + size_text(size_) + ", expected at most " + size_text(max_bytes));
  }

  const std::string& path_;
  base::File file_;
  std::size_t size_ = 0;
};

}  // namespace

SourceFile::SourceFile(std::string path, std::size_t max_bytes) : path_(std::move(path)) {
  OpenFile file(path_, max_bytes);
  raw_.resize(file.size());
  file.read(raw_);
}

bool SourceFile::gzip() const {
  return raw_.size() >= 2 && raw_[0] == std::byte{0x1f} && raw_[1] == std::byte{0x8b};
}

base::Key hash_of(const SourceFile& file) { return base::hash_bytes(file.raw()); }

base::Key hash_of(const std::string& path, std::size_t max_bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  OpenFile file(path, max_bytes);
  base::Hasher hash;
  std::vector<std::byte> piece(std::min(kPiece, file.size()));
  for (std::size_t left = file.size(); left > 0;) {
    const auto next = std::span(piece).first(std::min(piece.size(), left));
    file.read(next);
    hash.raw(next);
    left -= next.size();
  }
  return hash.finish();
}

base::Key combine(std::span<const SourceFile> files) {
  std::vector<base::Key> hashes;
  for (const SourceFile& file : files) hashes.push_back(hash_of(file));
  return combine(hashes);
}

base::Key combine(std::span<const base::Key> files) {
  std::string digits;
  for (const base::Key& file : files) digits += file.hex();
  return base::hash_bytes(base::as_bytes(digits));
}

struct ContentReader::Inflater {
  z_stream stream = {};
  bool member_done = false;

  Inflater() {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

ContentReader::ContentReader(const SourceFile& file, std::size_t max_bytes)
    : file_(file), max_bytes_(max_bytes) {
  if (file.gzip()) inflater_ = std::make_unique<Inflater>();
}

ContentReader::~ContentReader() = default;

std::size_t ContentReader::read(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const auto rest = out.subspan(done);
    const std::size_t n = inflater_ ? inflate_some(rest) : copy_plain(rest);
    if (n == 0) break;
    done += n;
  }
  return done;
}

std::size_t ContentReader::copy_plain(std::span<std::byte> out) {
  const auto raw = file_.raw().subspan(position_);
  const std::size_t n = std::min(out.size(), raw.size());
  if (n == 0) return 0;
  count(n);
  std::memcpy(out.data(), raw.data(), n);
  position_ += n;
  return n;
}

std::size_t ContentReader::inflate_some(std::span<std::byte> out) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  z_stream& z = inflater_->stream;
  const auto raw = file_.raw();
  std::size_t written = 0;
  while (written == 0) {
    if (inflater_->member_done) {
      if (position_ == raw.size()) return 0;
      inflateReset(&z);
      inflater_->member_done = false;
    }
    const std::size_t input = std::min(raw.size() - position_, kPiece);
    const std::size_t room = std::min(out.size(), kPiece);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(raw.data() + position_));
    z.avail_in = static_cast<uInt>(input);
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(room);
    const int status = inflate(&z, Z_NO_FLUSH);
    position_ += input - z.avail_in;
    written = room - z.avail_out;
    count(written);
    if (status == Z_STREAM_END) {
      inflater_->member_done = true;
    } else if (status == Z_BUF_ERROR || (status == Z_OK && input == 0 && written == 0)) {
      throw DataError(file_.path(), "the gzip data ends too early: the file was cut off");
    } else if (status != Z_OK) {
      throw DataError(file_.path(), std::string("the gzip data is damaged (") +
                                        (z.msg != nullptr ? z.msg : "unexpected content") + ")");
    }
  }
  return written;
}

void check_inflation(const std::string& path, std::uint64_t produced, std::uint64_t read) {
  if (produced <= kUnsuspicious || produced / kMostInflation <= read) return;
  throw DataError(path, "unpacks to more than " + std::to_string(kMostInflation) +
                            " times its size, as a file made to exhaust memory does; unpack it "
                            "yourself if you trust it");
}

void ContentReader::count(std::size_t bytes) {
  produced_ += bytes;
  check_inflation(file_.path(), produced_, position_);
  if (produced_ > max_bytes_) {
    throw DataError(file_.path(),
                    "unpacks to more than " + size_text(max_bytes_) + ", the most that is read");
  }
}

std::string_view read_content(const SourceFile& file, std::size_t max_bytes, std::string& storage) {
  if (!file.gzip()) {
    return {reinterpret_cast<const char*>(file.raw().data()), file.raw().size()};
  }
  ContentReader reader(file, max_bytes);
  std::size_t filled = 0;
  storage.resize(std::max<std::size_t>(file.raw().size() * 4, 4096));
  for (;;) {
    filled += reader.read(std::as_writable_bytes(std::span(storage).subspan(filled)));
    if (filled < storage.size()) break;
    storage.resize(storage.size() * 2);
  }
  storage.resize(filled);
  return storage;
}

}  // namespace nn

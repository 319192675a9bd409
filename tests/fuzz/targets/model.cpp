// The file of a trained network.

#include <sys/mman.h>
#include <unistd.h>

#include "nn/error.h"
#include "nn/model_file.h"
#include "tests/fuzz/fuzz.h"

namespace {

/// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : fd_(::memfd_create("model", MFD_CLOEXEC)) {
    const bool whole =
        ::write(fd_, content.data(), content.size()) == static_cast<ssize_t>(content.size());
    fuzz::promise(whole, "there is room for the input");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace

void fuzz::feed(std::string_view input) {
  const MemoryFile file(input);
  try {
    const nn::Model model = nn::read_model(file.path());
    promise(nn::spec_from_json(nn::spec_json(model.net.header().spec)) == model.net.header().spec,
            "a network that was read can be written");
  } catch (const nn::Error& error) {
    promise_message(error.what());
  }
}

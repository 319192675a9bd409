#include "runtime/core/file_table.h"

#include <utility>

#include "runtime/core/node.h"

namespace rt::inline v0::detail {

FileState& FileTable::at(const std::filesystem::path& path, bool makes) {
  std::filesystem::path whole = std::filesystem::absolute(path);
  whole = std::filesystem::weakly_canonical(whole.parent_path()) / whole.filename();
  if (!makes && !files_.contains(whole.string())) whole = std::filesystem::weakly_canonical(path);
  const auto [found, added] = files_.try_emplace(whole.string());
  FileState& file = found->second;
  if (added) {
    file.name = {whole.string(), std::move(whole)};
    file.content = given(BoxRef(Box::create(*type_ops<FilePath>())));
    file.content->file = &file.name;
    file.gate = gathered_version(type_ops<void>(), Gather::end);
  }
  return file;
}

void FileTable::release() noexcept {
  for (auto& [path, file] : files_) {
    for (Node* reader : std::exchange(file.pure_readers, {})) reader->unref();
    file.content = file.gate = Held();
  }
}

}  // namespace rt::inline v0::detail

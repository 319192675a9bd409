#include "nn/data/kept_tables.h"

#include <mutex>
#include <utility>

#include "nn/data/note_kinds.h"

namespace nn {

namespace {

struct Shelf {
  std::mutex mutex;
  int holders = 0;  ///< KeptTables that live
  std::optional<TableName> name;
  std::shared_ptr<const ReadTable> table;
};

Shelf& shelf() {
  static Shelf one;
  return one;
}

}  // namespace

TableName::TableName(base::Key of, std::vector<std::string> files, DataSpec how)
    : content(of), paths(std::move(files)), spec(std::move(how)) {
  spec.split.valid = 0;
  spec.split.folds = 0;
  spec.split.fold = 0;
}

KeptTables::KeptTables() {
  const std::lock_guard lock(shelf().mutex);
  ++shelf().holders;
}

KeptTables::~KeptTables() {
  const std::lock_guard lock(shelf().mutex);
  if (--shelf().holders > 0) return;
  shelf().name.reset();
  shelf().table.reset();
}

std::shared_ptr<const ReadTable> kept_table(const TableName& name) {
  const std::lock_guard lock(shelf().mutex);
  if (!shelf().name) return nullptr;
  if (*shelf().name == name) return shelf().table;
  TableName guessed = name;
  guessed.spec.task = LearningTask::guess;
  if (*shelf().name != guessed || shelf().table->header.task != name.spec.task) return nullptr;
  ReadTable settled = *shelf().table;
  std::erase_if(settled.header.notes,
                [](const std::string& note) { return note.starts_with(heads::kTask); });
  shelf().name = name;
  shelf().table = std::make_shared<const ReadTable>(std::move(settled));
  return shelf().table;
}

bool keeps_tables(std::size_t bytes) {
  const std::lock_guard lock(shelf().mutex);
  return shelf().holders > 0 && bytes <= kMostKept;
}

void keep_table(TableName name, ReadTable table) {
  auto shared = std::make_shared<const ReadTable>(std::move(table));
  const std::lock_guard lock(shelf().mutex);
  if (shelf().holders == 0) return;
  shelf().name.emplace(std::move(name));
  shelf().table = std::move(shared);
}

}  // namespace nn

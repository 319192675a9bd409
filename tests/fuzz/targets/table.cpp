// A table to predict. The first byte of an input chooses how many rows are taken at a time.

#include "base/error.h"
#include "nn/data/load_files.h"
#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "tests/fuzz/memory_file.h"

namespace {

nn::Dataset model() {
  constexpr std::string_view kTable =
      "a,b,d,y\n1,u,2024-01-01,p\n2,v,2024-01-02,q\n3,u,,p\n"
      "4,v,2024-02-01,q\n,u,2024-02-02,p\n6,v,2024-03-01,q\n"
      "7,u,2024-03-02,p\n8,v,2024-04-01,q\n";
  const auto bytes = std::as_bytes(std::span(kTable));
  const std::array files{nn::SourceFile("rows.csv", std::vector(bytes.begin(), bytes.end()))};
  nn::DataSpec spec;
  spec.targets = {"y"};
  return nn::preprocessing_from_json(
      nn::preprocessing_json(nn::load_csv(files, spec, nn::LoadLimits())));
}

}  // namespace

void fuzz::feed(std::string_view input) {
  static const nn::Dataset kModel = model();
  if (input.empty()) return;
  const MemoryFile file(input.substr(1));
  const std::size_t most = 1 + static_cast<unsigned char>(input[0]) % 64;
  try {
    nn::TableRows rows(file.path(), kModel);
    while (rows.next(most)) {
      promise(rows.rows() > 0 && rows.rows() <= most, "a block has rows, and no more than wanted");
      (void)rows.view();
    }
    (void)rows.notes();
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "a bad table is an error of data");
    promise_message(error.what());
  }
}

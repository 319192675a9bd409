// Writes the pages that are made from the field table: `ninja docs`.

#include <cstdio>

#include "hpo/study/field_docs.h"
#include "runtime/base/error.h"
#include "runtime/base/file.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: trellis-study-docs FILE\n", stderr);
    return 2;
  }
  try {
    rt::write_file_atomic(argv[1], hpo::study_reference_markdown());
  } catch (const rt::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return rt::exit_code(error.kind());
  }
  return 0;
}

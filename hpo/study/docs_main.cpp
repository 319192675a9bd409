// Writes the pages that are made from the field table: `ninja docs`.

#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "hpo/study/field_docs.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: trellis-study-docs FILE\n", stderr);
    return 2;
  }
  try {
    base::write_file_atomic(argv[1], hpo::study_reference_markdown());
  } catch (const base::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return base::exit_code(error.kind());
  }
  return 0;
}

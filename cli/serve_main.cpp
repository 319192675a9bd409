// The program of `trellis serve`, apart from the others: only it links an HTTP server.

#include "cli/standard_streams.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  cli::open_standard_streams();
  return cli::run_verb(cli::serve_verbs(), argc, argv);
}

// The lines that a solver hears: messages, problems, scripts.

#include "hpo/solver/session.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  hpo::SolverSession session({"random", "asha"});
  constexpr int kLines = 20;
  for (int i = 0; i < kLines && !input.empty(); ++i) {
    const std::size_t end = input.find('\n');
    const auto answer = session.answer(input.substr(0, end));
    if (answer) (void)base::Json::parse(*answer);
    input.remove_prefix(end == input.npos ? input.size() : end + 1);
  }
}

// The arrivals of a training of replicas.

#include <string>

#include "base/error.h"
#include "nn/training/arrivals.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  const nn::Staleness staleness{.bound = 2, .replicas = 4};
  try {
    const nn::Arrivals read = nn::read_arrivals(input, "name", staleness, "file");
    const std::string text = nn::text_of(read, "name");
    promise(nn::read_arrivals(text, "name", staleness, "file") == read, "it is written as read");
  } catch (const base::Error&) {
  }
}

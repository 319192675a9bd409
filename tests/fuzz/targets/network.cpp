// A network's description as JSON.

#include "base/error.h"
#include "nn/model/model_file.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const nn::ModelSpec spec = nn::spec_from_json(input);
    promise(nn::spec_from_json(nn::spec_json(spec)) == spec, "a description reads back");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data || error.kind() == base::Errc::study,
            "a bad description is no mistake of the program");
    promise_message(error.what());
  }
}

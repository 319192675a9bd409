// The file of a trained network.

#include "base/error.h"
#include "nn/model/model_file.h"
#include "tests/fuzz/memory_file.h"

void fuzz::feed(std::string_view input) {
  const MemoryFile file(input);
  try {
    (void)nn::read_model(file.path());
    const nn::Model model = nn::read_model(file.path(), /*with_optimizer=*/true);
    promise(nn::spec_from_json(nn::spec_json(model.net.header().spec)) == model.net.header().spec,
            "a network that was read can be written");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "a bad model is an error of data");
    promise_message(error.what());
  }
}

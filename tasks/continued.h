#pragma once
// The tasks of a network that goes on with other data (nn/data/continued.h). Pure, as load and init
// are, which they follow and replace.

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "nn/data/continued.h"
#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "runtime/value.h"

namespace tasks {

/// The data that a model goes on with: `fresh` and, unless it is null, `old` were loaded as the
/// model needs them. `preprocessing` is the text in its file, `content` the name of the file's
/// bytes. Errors are of kind `study`: "expected ...".
[[nodiscard]] rt::Value<nn::Dataset> continued_data(const rt::Value<nn::Dataset>& fresh,
                                                    const rt::Value<nn::Dataset>* old,
                                                    const std::string& preprocessing,
                                                    const std::vector<std::string>& classes,
                                                    const base::Key& content);

/// The network in the file at `path`, an absolute one, as one of that header. `apart` as in init().
[[nodiscard]] rt::Value<nn::ParamSlab> continued(const std::string& path,
                                                 const nn::ParamSlab::Header& header,
                                                 const nn::Continuation& how, std::uint64_t seed,
                                                 std::uint64_t apart = 0);

}  // namespace tasks

// What StarPU reads from the environment, set before it starts.
#pragma once

namespace rt::detail {

/// StarPU's files go to our cache folder (a temporary one when that can't be written: StarPU would
/// abort), it stays silent, and its workers are not bound to cores: two programs bound to the same
/// first cores would share them. What the user set for the binding stays.
void prepare_environment();

}  // namespace rt::detail

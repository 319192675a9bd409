// As a plugin that was compiled with the headers of another version.
#include "nn/adapt/plugin.h"

extern "C" __attribute__((visibility("default"))) const nn::PolicyPlugin trellis_policy;
const nn::PolicyPlugin trellis_policy{
    .version = 0, .interface = 17, .kind = [] { return nn::PolicyKind{}; }};

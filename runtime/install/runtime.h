// The header of an installed runtime: #include <trellis/runtime.h>
#pragma once

#include "runtime/runtime.h"

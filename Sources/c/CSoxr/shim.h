// libsoxr (sample-rate conversion) for Swift.
#pragma once
#include <soxr.h>

// libsoxr (sample-rate conversion), as Swift sees it.
#pragma once
#include <soxr.h>

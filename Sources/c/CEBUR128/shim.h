// libebur128 (EBU R 128 loudness) for Swift.
#pragma once
#include <ebur128.h>

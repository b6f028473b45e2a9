// libsonic (tempo without change of pitch) for Swift. It has no pkg-config file.
#pragma once
#include <sonic.h>

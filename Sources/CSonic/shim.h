// libsonic (tempo without change of pitch), as Swift sees it. It has no pkg-config file.
#pragma once
#include <sonic.h>

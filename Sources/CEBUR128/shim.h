// libebur128 (EBU R 128 loudness), as Swift sees it.
#pragma once
#include <ebur128.h>

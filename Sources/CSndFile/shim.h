// libsndfile, as Swift sees it.
#pragma once
#include <sndfile.h>

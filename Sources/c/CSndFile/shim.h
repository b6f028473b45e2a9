// libsndfile for Swift.
#pragma once
#include <sndfile.h>

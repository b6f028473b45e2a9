// libqrencode for Swift.
#pragma once
#include <qrencode.h>

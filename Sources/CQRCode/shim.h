// libqrencode, as Swift sees it.
#pragma once
#include <qrencode.h>

// libmosquitto, as Swift sees it: everything SoundboxMQTT needs is imported as it is.
#pragma once
#include <mosquitto.h>

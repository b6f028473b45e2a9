// libmosquitto 2.0 of Debian for Swift: MQTT 3.1.1 and 5.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

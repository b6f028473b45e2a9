// MQTT 3.1.1 and 5: libmosquitto 2.0, as Debian has it.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

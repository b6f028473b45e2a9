// libcurl's functions, by their types in its own header.
#pragma once
#include "CCurl.h"

#include <curl/curl.h>

#define SOUNDBOX_CURL_FUNCTIONS(F) \
    F(curl_global_init) \
    F(curl_slist_append) \
    F(curl_slist_free_all) \
    F(curl_easy_init) \
    F(curl_easy_setopt) \
    F(curl_easy_getinfo) \
    F(curl_easy_strerror) \
    F(curl_easy_cleanup) \
    F(curl_multi_init) \
    F(curl_multi_add_handle) \
    F(curl_multi_perform) \
    F(curl_multi_poll) \
    F(curl_multi_wakeup) \
    F(curl_multi_info_read) \
    F(curl_multi_remove_handle) \
    F(curl_multi_strerror) \
    F(curl_multi_cleanup)

struct curl_library {
#define F(name) __typeof__(name) *name;
    SOUNDBOX_CURL_FUNCTIONS(F)
#undef F
};

/// Opens it once; it stays open. Any thread. Returns NULL, with the reason in `error`.
const struct curl_library *soundbox_open_curl(const char *name, soundbox_http_error *error);

void soundbox_http_fail(soundbox_http_error *error, soundbox_http_failure failure, int code, const char *text);

// SPDX-License-Identifier: MIT
//
// libcurl and zlib for Swift. No logic: only what Swift's importer cannot see by itself (variadic functions, and macros).

#ifndef SSC_CURL_SHIM_H
#define SSC_CURL_SHIM_H

#include <curl/curl.h>
#include <zlib.h>

static inline int ssc_inflate_init(z_stream *stream, int window) { return inflateInit2(stream, window); }

static inline CURLcode ssc_curl_set_long(CURL *transfer, CURLoption option, long value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline CURLcode ssc_curl_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline CURLcode ssc_curl_set_list(CURL *transfer, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline CURLcode ssc_curl_set_pointer(CURL *transfer, CURLoption option, void *value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline CURLcode ssc_curl_set_receiver(
    CURL *transfer, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(transfer, option, value);
}

#endif

/* SPDX-License-Identifier: MIT */

/* Loaded before libcurl: every transfer trusts the certificates in the file TRUSTED_CERTIFICATE
   and no others. Whatever else libcurl checks, such as the host's name, it still does. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

/* From curl/curl.h */
#define CURLOPT_CAINFO 10065
typedef void *(*curl_easy_init_t)(void);
typedef int (*curl_easy_setopt_t)(void *handle, int option, ...);

void *curl_easy_init(void) {
  curl_easy_init_t init = (curl_easy_init_t)dlsym(RTLD_NEXT, "curl_easy_init");
  curl_easy_setopt_t set = (curl_easy_setopt_t)dlsym(RTLD_NEXT, "curl_easy_setopt");
  void *handle = init();
  if (handle) set(handle, CURLOPT_CAINFO, getenv("TRUSTED_CERTIFICATE"));
  return handle;
}

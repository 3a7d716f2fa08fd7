#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "understudy_pcap.h"

#include <stdio.h>
#include <stdlib.h>

/// How much libpcap's stream asks for at a time.
enum { BUFFER_SIZE = 1 << 18 };

struct cookie {
  understudy_pcap_read read;
  void *context;
};

#ifdef __linux__
static ssize_t cookie_read(void *pointer, char *buffer, size_t count) {
  struct cookie *cookie = pointer;
  return cookie->read(cookie->context, (uint8_t *)buffer, count);
}
#else
static int cookie_read(void *pointer, char *buffer, int count) {
  struct cookie *cookie = pointer;
  return (int)cookie->read(cookie->context, (uint8_t *)buffer, (size_t)count);
}
#endif

static int cookie_close(void *pointer) {
  free(pointer);
  return 0;
}

static FILE *open_stream(struct cookie *cookie) {
#ifdef __linux__
  cookie_io_functions_t functions = {.read = cookie_read, .close = cookie_close};
  return fopencookie(cookie, "r", functions);
#else
  return funopen(cookie, cookie_read, NULL, NULL, cookie_close);
#endif
}

pcap_t *understudy_pcap_open(understudy_pcap_read read, void *context, char *error) {
  struct cookie *cookie = malloc(sizeof *cookie);
  FILE *stream = NULL;
  if (cookie != NULL) {
    cookie->read = read;
    cookie->context = context;
    stream = open_stream(cookie);
    if (stream == NULL) free(cookie);
  }
  if (stream == NULL) {
    snprintf(error, PCAP_ERRBUF_SIZE, "out of memory");
    return NULL;
  }
  setvbuf(stream, NULL, _IOFBF, BUFFER_SIZE);
  pcap_t *capture = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, error);
  if (capture == NULL) fclose(stream);
  return capture;
}

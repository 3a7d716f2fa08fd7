#ifndef UNDERSTUDY_PCAP_H
#define UNDERSTUDY_PCAP_H

#include <pcap/pcap.h>
#include <stddef.h>
#include <stdint.h>

/// Gives up to `count` bytes of the capture; 0 at its end, less than 0 where reading failed.
typedef ptrdiff_t (*understudy_pcap_read)(void *context, uint8_t *buffer, size_t count);

/// Opens a capture whose bytes `read` gives, with times in nanoseconds; NULL where libpcap refuses it, with the reason in `error`
/// (PCAP_ERRBUF_SIZE bytes).
pcap_t *understudy_pcap_open(understudy_pcap_read read, void *context, char *error);

#endif

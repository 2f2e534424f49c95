#!/bin/sh
# Alpine has no systemd, which would make the user of the service.
addgroup -S sitemaps 2>/dev/null
adduser -S -D -H -h /var/lib/wpsitemapd -s /sbin/nologin -G sitemaps -g wpsitemapd wpsitemapd 2>/dev/null
exit 0

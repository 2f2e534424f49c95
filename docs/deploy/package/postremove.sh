#!/bin/sh
# Runs once the files are gone. Only dpkg knows "purge"; the group stays, as its number may be on files elsewhere.
set -e
if [ "$1" = purge ]; then
	rm -rf /etc/wpsitemapd.dsn /etc/wpsitemapd.init.json /var/lib/wpsitemapd /var/lib/private/wpsitemapd
fi
case $1 in
remove | purge | 0)
	if [ -d /run/systemd/system ]; then
		systemctl daemon-reload
	fi
	;;
esac

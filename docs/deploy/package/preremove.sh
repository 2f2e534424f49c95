#!/bin/sh
# Runs before the files go: "remove" by dpkg, 0 by rpm. An update stops nothing.
set -e
case $1 in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now wpsitemapd.socket wpsitemapd.service
	fi
	;;
esac

#!/bin/sh
# Runs before the files go: "remove" by dpkg, 0 by rpm. An update stops nothing.
set -e
case $1 in
remove | 0)
	if [ -e /etc/wpsitemapd.init.json ]; then
		echo "wpsitemapd: what \"wpsitemapd init\" has made stays: accounts of the database, lines of the web server. To take it back, install the"
		echo "package again and run: wpsitemapd init --undo"
	fi
	if [ -d /run/systemd/system ]; then
		systemctl disable --now wpsitemapd.socket wpsitemapd.service
	fi
	;;
esac

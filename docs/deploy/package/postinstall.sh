#!/bin/sh
# Runs once the files are in their place: "configure" and the version before by dpkg, the number of installed versions by rpm.
set -e
config=/etc/wpsitemapd.toml
account=/etc/wpsitemapd.dsn

# The service reads its configuration by this group. A file whose group somebody chose keeps it.
groupadd --system --force sitemaps
if [ -e "$config" ] && [ "$(stat --format=%G "$config")" = root ]; then
	chgrp sitemaps "$config"
fi
if [ ! -e "$account" ]; then # systemd hands it to the service
	(umask 077; echo 'sitemaps:secret@unix(/run/mysqld/mysqld.sock)/example' >"$account")
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart wpsitemapd.service
fi
case $1:$2 in
configure: | 1:)
	echo "wpsitemapd: \"wpsitemapd init\" sets up everything. By hand: put the account into $account and the site into $config,"
	echo "look at what \"wpsitemapd check\" says, then: systemctl enable --now wpsitemapd"
	;;
esac

#!/bin/sh
# Installs wpsitemapd as a service of systemd, as root:
#
#     sh docs/deploy/install-systemd.sh ./wpsitemapd
#
# A configuration that is there already stays as it is, and so does the file with the account: neither is ever
# replaced. Both are for root and the service alone: the service runs under a user of its own, which reads the
# configuration by the group sitemaps, and is handed the account by systemd. To be run again after an update.
#
#     DESTDIR   a folder in place of /, for packages and tests
set -eu
[ $# -eq 1 ] && [ -x "$1" ] || { echo "usage: sh install-systemd.sh PATH-OF-THE-BINARY" >&2; exit 2; }
command -v systemctl >/dev/null || { echo "this machine has no systemd: docs/operator/install.md has the other ways to run wpsitemapd" >&2; exit 1; }
here=$(dirname "$0")
root=${DESTDIR:-}
group=sitemaps

mkdir -p "$root/usr/local/bin" "$root/etc/systemd/system"
install -m 755 "$1" "$root/usr/local/bin/wpsitemapd"
install -m 644 "$here/wpsitemapd.service" "$root/etc/systemd/system/wpsitemapd.service"

groupadd --system --force "$group"
config=$root/etc/wpsitemapd.toml
if [ -e "$config" ]; then
	echo "$config is there already and stays as it is" >&2
else
	install -m 640 "$here/wpsitemapd.toml" "$config"
fi
chgrp "$group" "$config"
chmod u=rw,g=r,o= "$config"

# What dsn_file = "${CREDENTIALS_DIRECTORY:-/etc}/wpsitemapd.dsn" reads.
account=$root/etc/wpsitemapd.dsn
if [ ! -e "$account" ]; then
	(umask 077; echo 'sitemaps:secret@unix(/run/mysqld/mysqld.sock)/example' > "$account")
	echo "put the account into $account and the site into $config" >&2
fi
chmod 600 "$account"
systemctl daemon-reload
echo "then: systemctl enable --now wpsitemapd" >&2

#!/bin/sh
# The service reads its configuration by this group.
chgrp sitemaps /etc/wpsitemapd.toml
if [ ! -e /etc/wpsitemapd.dsn ]; then
	(umask 077; echo 'sitemaps:secret@unix(/run/mysqld/mysqld.sock)/example' >/etc/wpsitemapd.dsn)
fi
exit 0

#!/bin/bash
# Makes the account sitemaps, which may read and nothing else. MariaDB's image runs it once,
# when it creates the database. The tables come later, with WordPress, and rights on tables
# that do not exist cannot be given: so it may read the whole database. Once WordPress is
# installed, the grants in grants.sql are enough.
#
#     MARIADB_ROOT_PASSWORD, MARIADB_DATABASE   as the image has them
#     SITEMAPS_PASSWORD                         of the new account
#     SITEMAPS_HOST                             where it may connect from; anywhere
set -eo pipefail

quote() { # a text as a string of SQL
	local text=${1//\\/\\\\}
	printf "'%s'" "${text//\'/\'\'}"
}

MYSQL_PWD=${MARIADB_ROOT_PASSWORD:-} mariadb --protocol=socket --user=root --database="$MARIADB_DATABASE" <<SQL
CREATE USER sitemaps@$(quote "${SITEMAPS_HOST:-%}") IDENTIFIED BY $(quote "${SITEMAPS_PASSWORD:?}");
GRANT SELECT ON \`${MARIADB_DATABASE//_/\\_}\`.* TO sitemaps@$(quote "${SITEMAPS_HOST:-%}");
SQL

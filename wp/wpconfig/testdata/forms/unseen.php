<?php
define( 'MULTISITE', getenv( 'WP_T_UNSET' ) === 'true' );
define( 'SUBDOMAIN_INSTALL', (bool) getenv( 'WP_T_UNSET' ) );
define( 'DOMAIN_CURRENT_SITE', getenv( 'WP_T_UNSET' ) );
define( 'PATH_CURRENT_SITE', '/' );
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
if ( getenv( 'WP_T_UNSET' ) === 'live' ) {
	$url = parse_url( getenv( 'WP_T_UNSET' ) );
	define( 'DB_HOST', $url['host'] );
	define( 'WP_SITEURL', 'https://other.example' );
	$table_prefix = 'other_';
} else {
	define( 'DB_HOST', '10.0.0.1' );
	$table_prefix = 'wp_';
}

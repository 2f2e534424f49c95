<?php
define( 'WP_ENV', 'live' );
if ( 'live' === WP_ENV && ! defined( 'WP_CLI' ) ) {
	define( 'DB_NAME', 'shop' );
} else {
	define( 'DB_NAME', 'shop_test' );
}
if ( 'test' === WP_ENV || 'local' === WP_ENV ) {
	define( 'DB_USER', 'tester' );
} elseif ( WP_ENV == 'live' ) {
	define( 'DB_USER', 'clerk' );
}
if ( WP_ENV != 'live' ) {
	define( 'DB_PASSWORD', 'test' );
	define( 'DB_HOST', 'other' );
} else {
	define( 'DB_PASSWORD', 'open sesame' );
	defined( 'DB_HOST' ) or define( 'DB_HOST', '127.0.0.1' );
}
define( 'WP_HOME', 'https://shop.example' );
define( 'WP_SITEURL', WP_ENV === 'live' ? WP_HOME . '/wp' : WP_HOME );
if ( 'cli' === PHP_SAPI ) {
	$table_prefix = 'cli_';
}
$table_prefix ??= 'wp_';
if ( WP_ENV === 'test' ) {
	return;
}
if ( '0' == null || null == '0' ) {
	define( 'WPLANG', 'wrong' );
}
defined( 'WPLANG' ) || define( 'WPLANG', 'de_DE' );

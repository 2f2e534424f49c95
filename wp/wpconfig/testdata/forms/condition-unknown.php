<?php
if ( 'shop.example' === $_SERVER['HTTP_HOST'] ) {
	define( 'DB_NAME', 'shop' );
	define( 'DB_USER', 'clerk' );
	define( 'DB_PASSWORD', 'open sesame' );
	$table_prefix = 'wp_';
} elseif ( 'test.example' === $_SERVER['HTTP_HOST'] ) {
	define( 'DB_NAME', 'shop_test' );
	define( 'DB_USER', 'clerk' );
	define( 'DB_PASSWORD', 'open sesame' );
	$table_prefix = 'wp_';
} else {
	die( 'unknown host' );
}
if ( $_SERVER['REMOTE_ADDR'] === '127.0.0.1' ) {
	define( 'DB_HOST', 'localhost' );
}
define( 'DB_HOST', 'db.example' );
if ( is_something() ) {
	define( 'WP_HOME', 'https://shop.example' );
}
$_SERVER['REMOTE_ADDR'] === '127.0.0.1' && define( 'WP_SITEURL', 'https://shop.example/wp' );
switch ( $_SERVER['SERVER_NAME'] ) {
	case 'a':
		define( 'UPLOADS', 'a' );
		define( 'WPLANG', 'de_DE' );
		break;
	default:
		define( 'UPLOADS', 'b' );
		define( 'WPLANG', 'de_DE' );
}
while ( next_thing() ) {
	define( 'VHOST', 'no' );
}

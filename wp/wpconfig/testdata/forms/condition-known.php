<?php
define( 'WP_ENV', 'live' );
if ( 'live' === WP_ENV && ! defined( 'WP_CLI' ) ) {
	define( 'DB_NAME', 'shop' );
} else {
	define( 'DB_NAME', 'shop_test' );
}
if ( in_array( WP_ENV, [ 'test', 'local' ], true ) ) {
	define( 'DB_USER', 'tester' );
} elseif ( WP_ENV == 'live' ) {
	define( 'DB_USER', 'clerk' );
}
switch ( WP_ENV ) {
	case 'test':
		define( 'DB_PASSWORD', 'test' );
		break;
	case 'live':
		define( 'DB_PASSWORD', 'open sesame' );
	default:
		define( 'DB_HOST', '127.0.0.1' );
		break;
	case 'other':
		define( 'DB_HOST', 'other' );
}
foreach ( array( 'WP_HOME' => '', 'WP_SITEURL' => '/wp' ) as $name => $path ) {
	define( $name, 'https://shop.example' . $path );
}
if ( 'cli' === PHP_SAPI ) {
	$table_prefix = 'cli_';
}
$table_prefix ??= 'wp_';

<?php
if ( ! defined( 'DB_NAME' ) ) define( 'DB_NAME', 'shop' );
if ( ! defined( 'DB_NAME' ) ) {
	define( 'DB_NAME', 'second' );
}
defined( 'DB_USER' ) or define( 'DB_USER', 'clerk' );
defined( 'DB_USER' ) || define( 'DB_USER', 'second' );
! defined( 'DB_PASSWORD' ) && define( 'DB_PASSWORD', 'open sesame' );
if ( defined( 'DB_HOST' ) ) {
	define( 'WP_HOME', 'never' );
} elseif ( ! defined( 'DB_HOST' ) ) {
	define( 'DB_HOST', '127.0.0.1' );
} else if ( defined( 'DB_HOST' ) ) {
	define( 'WP_HOME', 'never' );
} else {
	define( 'WP_HOME', 'never' );
}
defined( 'DB_CHARSET' ) ? null : define( 'DB_CHARSET', 'utf8mb4' );
$table_prefix = 'wp_';

<?php
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '10.0.0.1' );
if ( getenv( 'WP_T_UNSET' ) ) {
	define( 'MULTISITE', true );
	define( 'DB_NAME', 'other' );
}
$table_prefix = 'wp_';

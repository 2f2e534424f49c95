<?php
if ( isset( $_SERVER['HTTP_HOST'] ) ) {
	define( 'DB_NAME', 'shop' );
}
if ( ! isset( $_SERVER['REQUEST_URI'] ) ) {
	define( 'DB_NAME', 'cli' );
}
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1' );
$table_prefix = 'wp_';

<?php
if ( file_exists( __DIR__ . '/inc/local.php' ) ) {
	require_once __DIR__ . '/inc/local.php';
	include_once dirname( __FILE__ ) . '/inc/local.php';
}
if ( file_exists( 'inc/absent.php' ) ) {
	include 'inc/absent.php';
} else {
	$settings = include 'inc/settings.php';
}
define( 'DB_NAME', $settings['name'] );
define( 'DB_USER', $settings['user'] );
define( 'DB_PASSWORD', 'second' );
define( 'DB_HOST', '127.0.0.1' );
require ABSPATH . 'wp-settings.php';

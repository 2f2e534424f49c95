<?php
/**
 * The base configuration. define( 'DB_NAME', 'not this one' );
 */
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
define( 'AUTH_KEY', 'unique phrase with "quotes" and $dollars' );
$table_prefix = 'wp_';
define( 'WP_DEBUG', false );
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';

<?php
define( 'DB_NAME', getenv( 'WP_T_NAME' ) );
define( 'DB_USER', getenv( 'WP_T_UNSET' ) ?: 'clerk' );
define( 'DB_PASSWORD', $_ENV['WP_T_PASSWORD'] ?? 'default' );
define( 'DB_HOST', isset( $_SERVER['WP_T_HOST'] ) ? $_SERVER['WP_T_HOST'] : 'localhost' );
define( 'WP_HOME', getenv( 'WP_T_HOME' ) ? getenv( 'WP_T_HOME' ) : 'https://default.example' );
define( 'WP_SITEURL', ( $_SERVER['WP_T_UNSET'] ?? null ) ?: WP_HOME . '/wp' );
if ( getenv( 'WP_T_STAGE' ) === 'production' ) {
	define( 'WP_ENVIRONMENT_TYPE', 'production' );
} else {
	define( 'WP_ENVIRONMENT_TYPE', 'local' );
}
define( 'MULTISITE', filter_var( getenv( 'WP_T_FALSE' ), FILTER_VALIDATE_BOOLEAN ) );
$table_prefix = getenv( 'WP_T_NAME' ) . '_';

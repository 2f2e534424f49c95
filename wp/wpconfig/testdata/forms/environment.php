<?php
define( 'DB_NAME', getenv( 'T_NAME' ) );
define( 'DB_USER', getenv( 'T_UNSET' ) ?: 'clerk' );
define( 'DB_PASSWORD', $_ENV['T_PASSWORD'] ?? 'default' );
define( 'DB_HOST', isset( $_SERVER['T_HOST'] ) ? $_SERVER['T_HOST'] : 'localhost' );
define( 'WP_HOME', getenv( 'T_HOME' ) ? getenv( 'T_HOME' ) : 'https://default.example' );
define( 'WP_SITEURL', ( $_SERVER['T_UNSET'] ?? null ) ?: WP_HOME . '/wp' );
if ( getenv( 'T_STAGE' ) === 'production' ) {
	define( 'WP_ENVIRONMENT_TYPE', 'production' );
} else {
	define( 'WP_ENVIRONMENT_TYPE', 'local' );
}
define( 'MULTISITE', filter_var( getenv( 'T_FALSE' ), FILTER_VALIDATE_BOOLEAN ) );
putenv( 'T_PUT=wp' );
$table_prefix = getenv( 'T_PUT' ) . '_';

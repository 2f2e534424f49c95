<?php
use Roots\WPConfig\Config;
use function Env\env;

$root = dirname( __DIR__ );
$web  = $root . '/web';
if ( file_exists( $root . '/.env' ) ) {
	$files = file_exists( $root . '/.env.local' ) ? [ '.env', '.env.local' ] : [ '.env' ];
	$dotenv = Dotenv\Dotenv::createUnsafeImmutable( $root, $files, false );
	$dotenv->load();
	$dotenv->required( [ 'WP_HOME' ] )->notEmpty();
}
define( 'WP_ENV', env( 'WP_ENV' ) ?: 'production' );
if ( ! defined( 'WP_ENVIRONMENT_TYPE' ) ) {
	$type = env( 'WP_ENVIRONMENT_TYPE' );
	if ( $type ) {
		Config::define( 'WP_ENVIRONMENT_TYPE', $type );
	} elseif ( in_array( WP_ENV, [ 'production', 'staging', 'development', 'local' ], true ) ) {
		Config::define( 'WP_ENVIRONMENT_TYPE', WP_ENV );
	}
}
if ( env( 'DB_SSL' ) ) {
	Config::define( 'MYSQL_CLIENT_FLAGS', MYSQLI_CLIENT_SSL );
}
Config::define( 'WP_HOME', env( 'WP_HOME' ) );
Config::define( 'WP_SITEURL', env( 'WP_SITEURL' ) );
Config::define( 'CONTENT_DIR', '/app' );
Config::define( 'WP_CONTENT_DIR', $web . Config::get( 'CONTENT_DIR' ) );
Config::define( 'WP_CONTENT_URL', Config::get( 'WP_HOME' ) . Config::get( 'CONTENT_DIR' ) );
Config::define( 'DB_NAME', env( 'DB_NAME' ) );
Config::define( 'DB_USER', env( 'DB_USER' ) );
Config::define( 'DB_PASSWORD', env( 'DB_PASSWORD' ) );
Config::define( 'DB_HOST', env( 'DB_HOST' ) ?: '127.0.0.1' );
Config::define( 'DB_CHARSET', 'utf8mb4' );
$table_prefix = env( 'DB_PREFIX' ) ?: 'wp_';
if ( env( 'DATABASE_URL' ) ) {
	$dsn = (object) parse_url( env( 'DATABASE_URL' ) );
	Config::define( 'DB_NAME', substr( $dsn->path, 1 ) );
	Config::define( 'DB_USER', $dsn->user );
	Config::define( 'DB_PASSWORD', isset( $dsn->pass ) ? $dsn->pass : null );
	Config::define( 'DB_HOST', isset( $dsn->port ) ? "{$dsn->host}:{$dsn->port}" : $dsn->host );
}
$overrides = __DIR__ . '/environments/' . WP_ENV . '.php';
if ( file_exists( $overrides ) ) {
	require_once $overrides;
}
Config::apply();
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', $web . '/wp/' );
}

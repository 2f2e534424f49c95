<?php
if ( ! function_exists( 'getenv_docker' ) ) {
	function getenv_docker( $env, $default ) {
		$file = getenv( $env . '_FILE' );
		if ( $file ) {
			return rtrim( file_get_contents( $file ), "\r\n" );
		}
		$val = getenv( $env );
		return false === $val ? $default : $val;
	}
}
define( 'DB_NAME', getenv_docker( 'WP_T_NAME', 'wordpress' ) );
define( 'DB_USER', getenv_docker( 'WP_T_UNSET', 'clerk' ) );
define( 'DB_PASSWORD', getenv_docker( 'WP_T_SECRET', 'example password' ) );
define( 'DB_HOST', getenv_docker( 'WP_T_HOST', 'mysql' ) );
define( 'WP_DEBUG', ! ! getenv_docker( 'WP_T_UNSET', '' ) );
$table_prefix = getenv_docker( 'WP_T_UNSET', 'wp_' );
if ( isset( $_SERVER['HTTP_X_FORWARDED_PROTO'] ) && strpos( $_SERVER['HTTP_X_FORWARDED_PROTO'], 'https' ) !== false ) {
	$_SERVER['HTTPS'] = 'on';
}
if ( $configExtra = getenv_docker( 'WP_T_UNSET', '' ) ) {
	eval( $configExtra );
}
require_once ABSPATH . 'wp-settings.php';

<?php
$account = array( 'name' => 'shop' );
$account['user'] = 'clerk';
[ $host, $port ] = array( '127.0.0.1', 3306 );
define( 'DB_NAME', $account['name'] );
foreach ( array( 'WP_HOME' => '', 'WP_SITEURL' => '/wp' ) as $name => $path ) {
	define( $name, 'https://shop.example' . $path );
}
switch ( 'live' ) :
	case 'live':
		foreach ( array( 1 ) as $one ) {
			define( 'DB_USER', 'clerk' );
		}
	default:
		define( 'DB_CHARSET', 'utf8' );
endswitch;
define( 'DB_PASSWORD', implode( ' ', array( 'open', 'sesame' ) ) );
define( 'DB_HOST', $host );
define( 'DB_COLLATE', strpos( 'abc', 'b' ) + 1 );
define( 'MULTISITE', filter_var( 'no', FILTER_VALIDATE_BOOLEAN ) );
define( 'UPLOADS', sprintf( '%s', 'files' ) );
do {
	define( 'WPLANG', 'de_DE' );
} while ( false );
eval( "define( 'SUNRISE', 'on' );" );
if ( array_intersect( array( 'live' ), array( 'test', 'local' ) ) ) {
	$table_prefix = 'test_';
	return;
}
define( 'WP_CONTENT_URL', 'https://shop.example/c' );
$table_prefix = 'wp_';

<?php
function my_secret( $name ) {
	define( 'WP_HOME', 'https://from.function.example' );
	return $name;
}
define( 'DB_NAME', my_secret( 'name' ) );
define( 'DB_USER', Vault::get( 'user' ) );
define( 'DB_PASSWORD', open( 'sesame' ) . ( new Vault )->read() );
define( 'DB_HOST', `hostname` );
define( 'WP_SITEURL', UNKNOWN_CONSTANT . '/wp' );
define( 'UPLOADS', match ( 1 ) { 1 => 'x' } );
define( 'DB_CHARSET', md5( 'x' ) );
$table_prefix = $undefined . '_';

<?php
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
if ( defined( 'DB_HOST' ) ) :
	define( 'WP_HOME', 'never' );
elseif ( ! defined( 'DB_HOST' ) ) :
	if ( defined( 'DB_NAME' ) ) :
		define( 'DB_HOST', '127.0.0.1' );
	endif;
	foreach ( [ 'a' ] as $x ) {
		include __DIR__ . "/$x.php";
	}
else :
	define( 'WP_HOME', 'never' );
endif;
define( 'WP_HOME', 'behind' );
define( 'WPLANG', 'de_DE' );
$table_prefix = 'wp_';

<?php
$base = 'sh';
$parts = array( 'user' => 'cle', 'host' => [ '127.0.0.1', '10.0.0.1' ] );
define( 'DB_NAME', $base . 'op' );
define( 'DB_USER', "{$parts['user']}rk" );
define( 'DB_PASSWORD', 'a' . 1 . true . null . 'b' );
define( 'DB_HOST', $parts['host'][0] . ':' . 3306 );
define( 'WP_HOME', "https://$base{$parts['user']}.example" );
define( 'WP_CONTENT_DIR', dirname( __FILE__ ) . '/content' );
define( 'WP_CONTENT_URL', WP_HOME . '/content' );
define( 'WP_PLUGIN_URL', WP_CONTENT_URL . '/' . basename( __FILE__, '.php' ) );
define( 'UPLOADS', 2.5 );
$table_prefix = 'wp';
$table_prefix .= '_';

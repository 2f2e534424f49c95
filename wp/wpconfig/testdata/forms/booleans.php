<?php
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1' );
define( 'B_TRUE', true );
define( 'B_ONE', 1 );
define( 'B_TEXT_ONE', '1' );
define( 'B_TEXT_TRUE', 'true' );
define( 'B_TEXT_FALSE', 'false' );
define( 'B_FALSE', False );
define( 'B_ZERO', 0 );
define( 'B_TEXT_ZERO', '0' );
define( 'B_EMPTY', '' );
define( 'B_NULL', null );
define( 'B_NOT', ! B_TEXT_ZERO );
define( 'MULTISITE', 'false' );
$table_prefix = 'wp_';

<?php
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', trim( file_get_contents( __DIR__ . '/inc/secret' ) ) );
define( 'DB_HOST', '127.0.0.1' );
$table_prefix = 'wp_';

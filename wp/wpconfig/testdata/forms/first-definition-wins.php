<?php
@define( 'DB_NAME', 'shop' );
@define( 'DB_NAME', 'second' );
define( 'DB_USER', 'clerk' );
@define( 'DB_USER', $_SERVER['HTTP_HOST'] );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1' );
$table_prefix = 'old_';
$table_prefix = 'wp_';

<?php
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1' );
define( 'MYSQL_CLIENT_FLAGS', 2048 );
$table_prefix = 'wp_';

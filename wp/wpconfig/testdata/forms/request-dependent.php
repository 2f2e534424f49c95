<?php
define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1' );
$scheme = isset( $_SERVER['HTTPS'] ) ? 'https' : 'http';
define( 'WP_HOME', $scheme . '://' . $_SERVER['HTTP_HOST'] );
define( 'WP_SITEURL', 'https://' . $_SERVER['HTTP_HOST'] . '/wp' );
define( 'COOKIE_DOMAIN', $_SERVER['HTTP_HOST'] );
$table_prefix = 'wp_';

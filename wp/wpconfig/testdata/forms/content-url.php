<?php
$host = $_SERVER['HTTP_HOST'] ?? 'localhost';
define( 'WP_HOME', ( isset( $_SERVER['HTTPS'] ) ? 'https' : 'http' ) . "://{$host}" );
define( 'WP_CONTENT_URL', WP_HOME . '/content' );
define( 'WP_PLUGIN_URL', 'http://' . $_SERVER['HTTP_HOST'] . '/plugins' );
define( 'DB_NAME', 'shop_' . $_SERVER['HTTP_HOST'] );
$table_prefix = 'wp_';

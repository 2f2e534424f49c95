<?php
@include '/nonexistent/secrets.php';
define( 'DB_USER', 'clerk' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1' );
require $_SERVER['DOCUMENT_ROOT'] . '/more.php';
$table_prefix = 'wp_';

<?php
$dotenv = Dotenv\Dotenv::createImmutable( __DIR__ . '/inc', 'dot.env' );
$dotenv->safeLoad();
define( 'DB_NAME', $_ENV['E_NAME'] );
define( 'DB_USER', $_ENV['E_USER'] );
define( 'DB_PASSWORD', $_SERVER['E_PASSWORD'] );
define( 'DB_HOST', getenv( 'E_HOST' ) ?: 'localhost' );
define( 'WP_HOME', $_ENV['E_HOME'] );
define( 'E_MULTI', $_ENV['E_MULTI'] );
define( 'E_EMPTY', $_ENV['E_EMPTY'] );
define( 'E_ENVIRONMENT_WINS', $_ENV['WP_T_NAME'] );
$table_prefix = $_ENV['E_PREFIX'] ?? 'wp_';

<?php
use Symfony\Component\Dotenv\Dotenv;
( new Dotenv() )->usePutenv()->load( __DIR__ . '/inc/symfony.conf' );
define( 'DB_NAME', $_ENV['SYMFONY_NAME'] );
define( 'DB_USER', getenv( 'SYMFONY_USER' ) );
$other = new Dotenv();
$other->loadEnv( __DIR__ . '/inc/symfony.conf' );
define( 'DB_PASSWORD', $_SERVER['SYMFONY_PASSWORD'] );
( new josegonzalez\Dotenv\Loader( __DIR__ . '/inc/.env-josegonzalez' ) )->parse()->toEnv();
define( 'DB_HOST', $_ENV['JOSE_HOST'] );
$table_prefix = 'wp_';

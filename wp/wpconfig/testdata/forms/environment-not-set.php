<?php
define( 'DB_NAME', getenv( 'WP_T_UNSET' ) );
define( 'DB_USER', $_ENV['WP_T_UNSET'] );
define( 'DB_PASSWORD', trim( getenv( 'WP_T_UNSET_PASSWORD' ) ) );
define( 'DB_HOST', $_SERVER['WP_T_UNSET'] . ':3306' );
define( 'MULTISITE', getenv( 'WP_T_UNSET' ) );
$table_prefix = getenv( 'WP_T_UNSET_PREFIX' );

<?php
define( 'DB_NAME', getenv( 'T_UNSET' ) );
define( 'DB_USER', $_ENV['T_UNSET'] );
define( 'DB_PASSWORD', trim( getenv( 'T_UNSET_PASSWORD' ) ) );
define( 'DB_HOST', $_SERVER['T_UNSET'] . ':3306' );
define( 'MULTISITE', getenv( 'T_UNSET' ) );
$table_prefix = getenv( 'T_UNSET_PREFIX' );

<?PHP
DEFINE( 'DB_NAME', 'shop', true );
Define( 'DB_USER', 'clerk', FALSE );
define( 'DB_PASSWORD', 'open sesame', );
define( 'DB_HOST', '127.0.0.1' );
define( 'db_host', 'names are case-sensitive' );
define( 'MULTISITE', TRUE );
define( 'WP_HOME', NULL );
$table_prefix = 'wp_';

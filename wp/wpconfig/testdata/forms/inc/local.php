<?php
if ( ! defined( 'ABSPATH' ) ) {
	exit;
}
define( 'DB_PASSWORD', 'open sesame' );
$table_prefix = 'wp_';
return;
define( 'DB_NAME', 'behind the end' );

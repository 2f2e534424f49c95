<?php
# Database Configuration
define( 'DB_NAME', 'wp_shop' );
define( 'DB_USER', 'shop' );
define( 'DB_PASSWORD', 'open sesame' );
define( 'DB_HOST', '127.0.0.1:3306' );
define( 'DB_HOST_SLAVE', '127.0.0.1:3306' );
define('DB_CHARSET', 'utf8');
define('DB_COLLATE', 'utf8_unicode_ci');
$table_prefix = 'wp_';

# Localized Language Stuff
define( 'WP_CACHE', TRUE );
umask(0002);
define( 'FS_CHMOD_DIR', 0775 );
define( 'WPE_FORCE_SSL_LOGIN', false );
/*SSLSTART*/ if ( isset($_SERVER['HTTP_X_WPE_SSL']) && $_SERVER['HTTP_X_WPE_SSL'] ) $_SERVER['HTTPS'] = 'on'; /*SSLEND*/
$wpe_cdn_uris=array ( );
$wpe_no_cdn_uris=array ( );
$wpe_all_domains=array ( 0 => 'shop.wpengine.com', 1 => 'www.shop.example', );
$wpe_varnish_servers=array ( 0 => 'pod-1', );
$wpe_special_ips=array ( 0 => '192.0.2.1', );
$wpe_netdna_domains=array ( 0 =>  array ( 'match' => 'www.shop.example', 'zone' => 'zone', 'enabled' => true, ), );
$memcached_servers=array ( 'default' =>  array ( 0 => 'unix:///tmp/memcached.sock', ), );
define( 'WPLANG', '' );

# WP Engine ID
define( 'PWP_DOMAIN_CONFIG', 'www.shop.example' );

# That's It. Pencils down
if ( !defined('ABSPATH') )
	define('ABSPATH', __DIR__ . '/');
require_once(ABSPATH . 'wp-settings.php');

$_wpe_preamble_path = null; if(false){}

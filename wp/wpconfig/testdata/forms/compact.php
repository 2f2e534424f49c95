<?php
/* Old:
   define("DB_NAME", "old"); */
define("DB_NAME","shop");define("DB_USER","clerk");define("DB_PASSWORD","open!#sesame");
define("DB_HOST","127.0.0.1:3306");define("DB_CHARSET","utf8");define("DB_COLLATE","");
$table_prefix  =  "wp_" ; // prefix
require_once ABSPATH.'wp-settings.php';

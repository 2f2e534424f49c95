<?php
define( 'DB_ENGINE', 'sqlite' );
define( 'DB_DIR', '/srv/data' );
define( 'DB_FILE', 'shop.sqlite' );
$table_prefix = 'wp_';

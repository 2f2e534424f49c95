<?php
define( 'DB_ENGINE', 'sqlite' );
define( 'FQDBDIR', '/srv/other/' );
define( 'DB_DIR', '/srv/data' );
$table_prefix = 'wp_';

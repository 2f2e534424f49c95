<?php
define( 'DATABASE_ENGINE', 'sqlite' );
define( 'WP_CONTENT_DIR', '/srv/content' );
$table_prefix = 'wp_';

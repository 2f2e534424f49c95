<?php
define( 'DB_ENGINE', 'sqlite' );
define( 'FQDB', '/srv/data/all.sqlite' );
define( 'FQDBDIR', '/srv/other/' );
$table_prefix = 'wp_';

<?php
define( 'DB_NAME', 's\h\\op\'s' );
define( 'DB_USER', "clerk\q" );
define( 'DB_PASSWORD', 'pa$$word{$x}\n"\\' );
define( 'DB_HOST', "127.0.0.1" );
define( 'E_DOUBLE', "\$a\\b\"c'\t\e\v\f\r\n$ {a} $1 \{" );
define( 'UPLOADS', "caf\xe9" );
define( 'WP_CONTENT_URL', "caf\u{e9}" );
define( 'WPLANG', "\144e" );
$table_prefix = "wp_";

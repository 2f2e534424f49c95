<?php
define( 'DB_NAME', 's\h\\op\'s' );
define( 'DB_USER', "cl\x65r\153\u{e9}\q" );
define( 'DB_PASSWORD', 'pa$$word{$x}\n"\\' );
define( 'DB_HOST', "127.0.0.1" );
define( 'E_DOUBLE', "\$a\\b\"c'\t\101\e\v\f\r\n$ {a} $1 \{\x" );
define( 'E_LATIN', "caf\xe9" );
$table_prefix = "wp\137";

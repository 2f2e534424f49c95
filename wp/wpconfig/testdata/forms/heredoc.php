<?php
$name = 'shop';
define( 'DB_NAME', <<<EOT
$name
EOT
);
define( 'DB_USER', <<<'EOT'
cl$erk
EOT );
define( 'DB_PASSWORD', <<<"EOT"
    open "sesame" \"\x21
      EOTX {$name}
    EOT . '!' );
define( 'DB_HOST', <<<E

E . '127.0.0.1' );
$table_prefix = 'wp_';

Text before. define( 'DB_NAME', 'text' );
<?php
// define( 'DB_NAME', 'line' );
# define( 'DB_NAME', 'hash' );
/* define( 'DB_NAME', 'block' ); // */ define( 'DB_NAME', 'shop' );
define( 'DB_USER', 'cl/*er*/k' ); /**/
// a line comment ends at a closing tag: ?> define( 'DB_USER', 'text' ); <?php
$url = 'http://example.com'; # it's
define( 'DB_PASSWORD', '#//?><?php' );
#[Site\Note( "define( 'DB_HOST', 'attribute' )" )]
function unused() { define( 'DB_HOST', 'never called' ); }
define( 'DB_HOST', '127.0.0.1' ) ?>
define( 'WP_HOME', 'text' );
<?php $table_prefix = 'wp_' ?>
define( 'WP_SITEURL', 'text' );

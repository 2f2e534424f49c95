<?php
// As Pantheon's templates have it.
if ( getenv( 'WP_T_STAGE' ) === 'production' ) :
	define( 'DB_NAME', 'live' );
	if ( false ):
		define( 'DB_USER', 'nobody' );
	elseif ( true ):
		define( 'DB_USER', 'clerk' );
	else:
		define( 'DB_USER', 'nobody else' );
	endif;
else:
	define( 'DB_NAME', 'test' );
endif;
if ( isset( $_SERVER['HTTP_HOST'] ) && $_SERVER['HTTP_HOST'] == 'shop.example' ):
	define( 'DB_HOST', '10.0.0.2' );
else: ?>
text
<?php
	define( 'DB_HOST', '10.0.0.3' );
endif;
define( 'DB_PASSWORD', 'open sesame' );
$table_prefix = 'wp_';

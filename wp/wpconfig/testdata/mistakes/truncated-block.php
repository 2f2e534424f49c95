<?php
if ( true ) {
	define( 'DB_NAME', 'shop' );

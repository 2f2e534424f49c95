<?php
define( 'DB_NAME', 'shop' );
/* open sesame

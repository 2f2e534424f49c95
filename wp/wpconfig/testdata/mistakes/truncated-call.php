<?php
define( 'DB_NAME', 'shop' );
define( 'DB_PASSWORD',
<?php
}
define( 'DB_NAME', 'shop' );

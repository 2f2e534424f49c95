<?php
define( 'DB_PASSWORD', "open {$x['sesame
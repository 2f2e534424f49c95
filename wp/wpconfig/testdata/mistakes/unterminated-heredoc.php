<?php
define( 'DB_PASSWORD', <<<EOT
open sesame

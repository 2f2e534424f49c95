<?php
use Roots\WPConfig\Config;
Config::define( 'WP_ENVIRONMENT_TYPE', 'development' );

<?php
const DB_NAME = 'shop', DB_USER = 'clerk';
const DB_PASSWORD = 'open' . ' ' . 'sesame';
CONST DB_HOST = '127.0.0.1';
const DB_NAME_COPY = DB_NAME;
const WP_HOME = 'https://' . DB_USER . '.example';
$table_prefix = 'wp_';

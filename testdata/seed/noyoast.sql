-- Over basic: nothing of Yoast's but its meta: options and table are gone, as after a restore of
-- half a backup.
DELETE FROM wp_options WHERE option_name LIKE 'wpseo%';
DROP TABLE wp_yoast_indexable;

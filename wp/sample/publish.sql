INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type,
post_name, post_title, post_content) VALUES (2, ?1, ?2, ?1, ?2, 'publish', 'post', ?3, ?4, ?5);
INSERT INTO wp_yoast_indexable (permalink, permalink_hash, object_id, object_type, object_sub_type, author_id, post_parent, breadcrumb_title, post_status,
is_robots_noindex, created_at, updated_at, version, object_last_modified, object_published_at) VALUES (?6, length(?6) || ':' || md5(?6),
last_insert_rowid(), 'post', 'post', 2, 0, ?4, 'publish', NULL, ?2, ?2, 2, ?2, ?2)

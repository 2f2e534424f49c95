-- Over basic: attachment pages are on; 52 is noindexed, 57 hangs below a draft.
UPDATE wp_options SET option_value = REPLACE(option_value, 's:18:"disable-attachment";b:1;', 's:18:"disable-attachment";b:0;') WHERE option_name = 'wpseo_titles';
UPDATE wp_options SET option_value = '1' WHERE option_name = 'wp_attachment_pages_enabled';
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (52, '_yoast_wpseo_meta-robots-noindex', '1');
UPDATE wp_posts SET post_parent = 142 WHERE ID = 57;

-- Over small. Nothing to list but home: the post, the page, the tag and the author are
-- noindexed, the category is empty; of the books (which only configuration can make known) one is a draft and one noindexed.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1001, '_yoast_wpseo_profile_updated', '1700000000'),
  (1001, 'wpseo_noindex_author', 'on');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'hello', 'Hello', 0, '', ''),
  (1011, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'publish', 'page', 'welcome', 'Welcome', 0, '', ''),
  (1041, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-01-03 11:00:00', '2024-01-03 10:00:00', 'draft', 'book', 'draft-book', 'Draft-book', 0, '', ''),
  (1042, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-01-04 11:00:00', '2024-01-04 10:00:00', 'publish', 'book', 'hidden-book', 'Hidden-book', 0, '', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1001, '_yoast_wpseo_meta-robots-noindex', '1'),
  (1011, '_yoast_wpseo_meta-robots-noindex', '1'),
  (1042, '_yoast_wpseo_meta-robots-noindex', '1');
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'A', 'a');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'post_tag', '', 0, 1);
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1022, 'B', 'b');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2022, 1022, 'category', '', 0, 0);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 2021);
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('wpseo_taxonomy_meta', 'a:1:{s:8:"post_tag";a:1:{i:1021;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}}}', 'on');

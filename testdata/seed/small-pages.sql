-- Over small. Pages of two: what is excluded takes no place, and its dates count nowhere.
-- two is noindexed, four has its canonical elsewhere, five a password; category a is noindexed, and so is ben.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'),
  (1002, 'ben', '!', 'ben', 'ben@small.test', 'Ben'),
  (1003, 'cem', '!', 'cem', 'cem@small.test', 'Cem');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1001, '_yoast_wpseo_profile_updated', '1700000000'),
  (1002, '_yoast_wpseo_profile_updated', '1700000001'),
  (1003, '_yoast_wpseo_profile_updated', '1700000002'),
  (1002, 'wpseo_noindex_author', 'on');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-01-05 11:00:00', '2024-01-05 10:00:00', 'publish', 'post', 'one', 'One', 0, '', ''),
  (1002, 1002, '2024-12-31 11:00:00', '2024-12-31 10:00:00', '2024-12-31 11:00:00', '2024-12-31 10:00:00', 'publish', 'post', 'two', 'Two', 0, '', ''),
  (1003, 1002, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'publish', 'post', 'three', 'Three', 0, '', ''),
  (1004, 1002, '2024-11-30 11:00:00', '2024-11-30 10:00:00', '2024-11-30 11:00:00', '2024-11-30 10:00:00', 'publish', 'post', 'four', 'Four', 0, '', ''),
  (1005, 1002, '2024-10-31 11:00:00', '2024-10-31 10:00:00', '2024-10-31 11:00:00', '2024-10-31 10:00:00', 'publish', 'post', 'five', 'Five', 0, 'sesame', ''),
  (1006, 1003, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-01-04 11:00:00', '2024-01-04 10:00:00', 'publish', 'post', 'six', 'Six', 0, '', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1002, '_yoast_wpseo_meta-robots-noindex', '1'),
  (1004, '_yoast_wpseo_canonical', 'https://elsewhere.test/four/');
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'A', 'a'),
  (1022, 'B', 'b'),
  (1023, 'C', 'c'),
  (1024, 'D', 'd');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 1),
  (2022, 1022, 'category', '', 0, 1),
  (2023, 1023, 'category', '', 0, 1),
  (2024, 1024, 'category', '', 0, 1);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 2021), (1001, 2022), (1003, 2023), (1006, 2024);
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('wpseo_taxonomy_meta', 'a:1:{s:8:"category";a:1:{i:1021;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}}}', 'on');

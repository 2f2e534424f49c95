-- Over small. A static front page that is noindexed, a posts page with its canonical elsewhere.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'hello', 'Hello', 0, '', ''),
  (1011, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'publish', 'page', 'welcome', 'Welcome', 0, '', ''),
  (1012, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-01-03 11:00:00', '2024-01-03 10:00:00', 'publish', 'page', 'journal', 'Journal', 0, '', ''),
  (1013, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-01-04 11:00:00', '2024-01-04 10:00:00', 'publish', 'page', 'contact', 'Contact', 0, '', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1011, '_yoast_wpseo_meta-robots-noindex', '1'),
  (1012, '_yoast_wpseo_canonical', 'https://elsewhere.test/journal/');
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('show_on_front', 'page', 'on'),
  ('page_on_front', '1011', 'on'),
  ('page_for_posts', '1012', 'on');

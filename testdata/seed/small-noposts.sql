-- Over small. Posts are noindexed as a type: home stands before the pages, in no other sitemap.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'hello', 'Hello', 0, '', ''),
  (1013, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-01-03 11:00:00', '2024-01-03 10:00:00', 'publish', 'page', 'contact', 'Contact', 0, '', '');
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('wpseo_titles', 'a:1:{s:12:"noindex-post";b:1;}', 'on');

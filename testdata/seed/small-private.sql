-- Over small. Search engines are discouraged.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'hello', 'Hello', 0, '', ''),
  (1011, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'publish', 'page', 'welcome', 'Welcome', 0, '', '');
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'A', 'a');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 1);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 2021);
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('blog_public', '0', 'on');

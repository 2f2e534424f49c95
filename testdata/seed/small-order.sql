-- Over small. Order: the youngest ids were changed first, names run against ids, the
-- author with the lower id has the older profile.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'),
  (1002, 'ben', '!', 'ben', 'ben@small.test', 'Ben');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1001, '_yoast_wpseo_profile_updated', '1700000000'),
  (1002, '_yoast_wpseo_profile_updated', '1710000000');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1002, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-03-04 11:00:00', '2024-03-04 10:00:00', 'publish', 'post', 'first', 'First', 0, '', ''),
  (1002, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-03-03 11:00:00', '2024-03-03 10:00:00', 'publish', 'post', 'second', 'Second', 0, '', ''),
  (1003, 1002, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-03-02 11:00:00', '2024-03-02 10:00:00', 'publish', 'post', 'third', 'Third', 0, '', ''),
  (1011, 1001, '2024-02-02 11:00:00', '2024-02-02 10:00:00', '2024-02-02 11:00:00', '2024-02-02 10:00:00', 'publish', 'page', 'zebra', 'Zebra', 0, '', ''),
  (1012, 1001, '2024-02-01 11:00:00', '2024-02-01 10:00:00', '2024-02-01 11:00:00', '2024-02-01 10:00:00', 'publish', 'page', 'apple', 'Apple', 0, '', '');
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'Zulu', 'zulu'),
  (1022, 'Alpha', 'alpha');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 1),
  (2022, 1022, 'category', '', 0, 1);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1002, 2021), (1001, 2022);

-- Over small. The date of an author is that of the newest published post, with a password
-- too (ann); the profile's stamp is neither needed (ben) nor looked at (ann). eli's post
-- was changed before it was published. Absent: cem has a draft, dora wants it so, fay has a page.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'),
  (1002, 'ben', '!', 'ben', 'ben@small.test', 'Ben'),
  (1003, 'cem', '!', 'cem', 'cem@small.test', 'Cem'),
  (1004, 'dora', '!', 'dora', 'dora@small.test', 'Dora'),
  (1005, 'eli', '!', 'eli', 'eli@small.test', 'Eli'),
  (1006, 'fay', '!', 'fay', 'fay@small.test', 'Fay');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1001, '_yoast_wpseo_profile_updated', '1735000000'),
  (1003, '_yoast_wpseo_profile_updated', '1700000000'),
  (1004, '_yoast_wpseo_profile_updated', '1700000000'),
  (1005, '_yoast_wpseo_profile_updated', '1700000000'),
  (1006, '_yoast_wpseo_profile_updated', '1700000000'),
  (1004, 'wpseo_noindex_author', 'on');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-05-01 11:00:00', '2024-05-01 10:00:00', '2024-05-01 11:00:00', '2024-05-01 10:00:00', 'publish', 'post', 'one', 'One', 0, '', ''),
  (1002, 1001, '2024-05-02 11:00:00', '2024-05-02 10:00:00', '2024-05-02 11:00:00', '2024-05-02 10:00:00', 'publish', 'post', 'two', 'Two', 0, 'sesame', ''),
  (1003, 1002, '2024-05-03 11:00:00', '2024-05-03 10:00:00', '2024-05-03 11:00:00', '2024-05-03 10:00:00', 'publish', 'post', 'three', 'Three', 0, '', ''),
  (1004, 1005, '2024-04-01 11:00:00', '2024-04-01 10:00:00', '2024-03-01 11:00:00', '2024-03-01 10:00:00', 'publish', 'post', 'four', 'Four', 0, '', ''),
  (1005, 1003, '2024-05-04 11:00:00', '2024-05-04 10:00:00', '2024-05-04 11:00:00', '2024-05-04 10:00:00', 'draft', 'post', 'five', 'Five', 0, '', ''),
  (1006, 1004, '2024-02-01 11:00:00', '2024-02-01 10:00:00', '2024-02-01 11:00:00', '2024-02-01 10:00:00', 'publish', 'post', 'six', 'Six', 0, '', ''),
  (1011, 1006, '2024-06-01 11:00:00', '2024-06-01 10:00:00', '2024-06-01 11:00:00', '2024-06-01 10:00:00', 'publish', 'page', 'page', 'Page', 0, '', '');

-- WordPress' own sitemaps: Yoast SEO is not active, and what it left behind counts for nothing.
-- The front page shows two posts and the sticky one, so that home has the date of 1001, not of 1002.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('active_plugins', 'a:0:{}', 'on'),
  ('wpseo_titles', 'a:3:{s:17:"stripcategorybase";b:1;s:12:"noindex-page";b:1;s:14:"disable-author";b:1;}', 'on'),
  ('permalink_structure', '/%category%/%postname%/', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '-3.5', 'on'),
  ('posts_per_page', '2', 'on'),
  ('sticky_posts', 'a:1:{i:0;i:1001;}', 'on'),
  ('default_category', '1021', 'on'),
  ('db_version', '61833', 'on');

-- By login: 1002, 1005, 1001. 1003 has only a page, 1004 only a draft.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, user_registered, display_name) VALUES
  (1001, 'zoe', '!', 'anna', 'zoe@small.test', '2020-01-01 00:00:00', 'Zoe'),
  (1002, 'Bert', '!', 'bert', 'bert@small.test', '2020-01-01 00:00:00', 'Bert'),
  (1003, 'carla', '!', 'carla', 'carla@small.test', '2020-01-01 00:00:00', 'Carla'),
  (1004, 'dora', '!', 'dora', 'dora@small.test', '2020-01-01 00:00:00', 'Dora'),
  (1005, 'emil', '!', 'emil', 'emil@small.test', '2020-01-01 00:00:00', 'Emil');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1001, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (1002, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (1002, 'wpseo_noindex_author', 'on'),
  (1003, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (1004, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (1005, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}');

-- 1003 is locked, 1004 is noindexed with a canonical elsewhere, 1006 has no dates: all are listed.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 08:30:00', '2024-01-01 12:00:00', '2024-06-01 08:30:00', '2024-06-01 12:00:00', 'publish', 'post', 'sticky', 'Sticky', 0, '', '<img src="/wp-content/uploads/a.jpg">'),
  (1002, 1002, '2024-02-01 08:30:00', '2024-02-01 12:00:00', '2024-07-01 08:30:00', '2024-07-01 12:00:00', 'publish', 'post', 'not-in-front', 'Not in front', 0, '', 'Text.'),
  (1003, 1005, '2024-03-01 08:30:00', '2024-03-01 12:00:00', '2024-03-02 08:30:00', '2024-03-02 12:00:00', 'publish', 'post', 'locked', 'Locked', 0, 'sesame', 'Text.'),
  (1004, 1001, '2024-04-01 08:30:00', '2024-04-01 12:00:00', '2024-04-01 22:30:00', '2024-04-02 02:00:00', 'publish', 'post', 'kept-out-by-yoast', 'Kept out by Yoast', 0, '', 'Text.'),
  (1005, 1004, '2024-05-01 08:30:00', '2024-05-01 12:00:00', '2024-08-01 08:30:00', '2024-08-01 12:00:00', 'draft', 'post', 'draft', 'Draft', 0, '', 'Text.'),
  (1006, 1001, '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', 'publish', 'post', '%e6%b5%b7', 'Sea', 0, '', 'Text.'),
  (1012, 1003, '2024-01-03 08:30:00', '2024-01-03 12:00:00', '2024-01-04 08:30:00', '2024-01-04 12:00:00', 'publish', 'page', 'about', 'About', 0, '', 'Text.'),
  (1011, 1003, '2024-01-05 08:30:00', '2024-01-05 12:00:00', '2024-01-05 08:30:00', '2024-01-05 12:00:00', 'publish', 'page', 'crew', 'Crew', 1012, '', 'Text.'),
  (1051, 1004, '2024-01-05 08:30:00', '2024-01-05 12:00:00', '2024-01-05 08:30:00', '2024-01-05 12:00:00', 'publish', 'attachment', 'picture', 'Picture', 0, '', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1001, '_yoast_wpseo_primary_category', '1022'),
  (1004, '_yoast_wpseo_meta-robots-noindex', '1'),
  (1004, '_yoast_wpseo_canonical', 'https://elsewhere.test/');

-- By id, not by name; 1023 has no posts of its own, although the term below it has.
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'Zebra', 'zebra'),
  (1022, 'Apple', 'apple'),
  (1023, 'Parent', 'parent'),
  (1024, 'Child', 'child'),
  (1025, 'wind', 'wind'),
  (1026, 'post-format-aside', 'post-format-aside');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 3),
  (2022, 1022, 'category', '', 1021, 1),
  (2023, 1023, 'category', '', 0, 0),
  (2024, 1024, 'category', '', 1023, 1),
  (2025, 1025, 'post_tag', '', 0, 1),
  (2026, 1026, 'post_format', '', 0, 1);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES
  (1001, 2021),
  (1001, 2022),
  (1002, 2024),
  (1003, 2021),
  (1004, 2021),
  (1004, 2025),
  (1004, 2026);

-- Over small. What the other formats hold: 1001 has later parts, 1002 an address and a title
-- that are not plain, 1003 was changed last of what is listed, 1004 to 1006 are listed nowhere, 1011 has no title.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann O''Hara & Zoë');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'long', 'In parts', 0, '', 'One<!--nextpage-->two<!--nextpage-->three'),
  (1002, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'publish', 'post', 'caf%c3%a9', 'Café &amp; <em>pâtisserie</em> ]]> &#8220;Zoë&#8221;', 0, '', ''),
  (1003, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-02-03 11:00:00', '2024-02-03 10:00:00', 'publish', 'post', 'revised', 'Revised', 0, '', ''),
  (1004, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-03-04 11:00:00', '2024-03-04 10:00:00', 'publish', 'post', 'noindex', 'Noindexed', 0, '', ''),
  (1005, 1001, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-03-05 11:00:00', '2024-03-05 10:00:00', 'draft', 'post', 'draft', 'Draft', 0, '', ''),
  (1006, 1001, '2024-01-06 11:00:00', '2024-01-06 10:00:00', '2024-03-06 11:00:00', '2024-03-06 10:00:00', 'publish', 'post', 'locked', 'Locked', 0, 'sesame', ''),
  (1011, 1001, '2024-01-11 11:00:00', '2024-01-11 10:00:00', '2024-01-11 11:00:00', '2024-01-11 10:00:00', 'publish', 'page', 'untitled', '', 0, '', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1004, '_yoast_wpseo_meta-robots-noindex', '1');
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'Bread &amp; butter', 'bread');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 1);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1002, 2021);

-- Over basic: what should not be in a database, and is. Nothing here may stop a sitemap,
-- make it malformed, or leave the site. Posts from 400. On MariaDB no row can be added
-- to wp_posts without an ID: the last one is taken.

-- Control characters, and the two code points XML forbids above them.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (400, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', 'control', CAST(X'62656C6C072074616209206E756C0020656E64' AS CHAR), 0, CAST(X'696D673C696D67207372633D222F610108622E6A70672220616C743D221B223EEFBFBEEFBFBF0B' AS CHAR));
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (401, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', CAST(X'6C696E650A627265616B01736C7567' AS CHAR), 'Slug with control characters', 0, 'Text.');

-- Bytes that are no UTF-8. MariaDB keeps them only where a text column was made a binary one,
-- which is what half a conversion of character sets leaves behind.
--: on mariadb
ALTER TABLE wp_posts MODIFY post_content longblob NOT NULL, MODIFY post_title blob NOT NULL;
--: on mariadb
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_name, post_title, post_content) VALUES
  (402, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'no-utf-8', X'636166E9', X'3C703E6C6174696E3120636166E9203C696D67207372633D222F636166E92E6A7067223E206F7665726C6F6E6720C0AF20737572726F6761746520EDA0802063757420E6B53C2F703E');
--: on sqlite
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_name, post_title, post_content) VALUES
  (402, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'no-utf-8', CAST(X'636166E9' AS CHAR), CAST(X'3C703E6C6174696E3120636166E9203C696D67207372633D222F636166E92E6A7067223E206F7665726C6F6E6720C0AF20737572726F6761746520EDA0802063757420E6B53C2F703E' AS CHAR));

-- Markup where there should be none, and none closed where there should be some.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (403, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', '<script>&''"', '<b>&amp;</b> ]]> "quoted" & <unclosed', 0, '<img src="/a.jpg?x=<y>&z=''"><img src=''/single.jpg''><img src=/bare.jpg ><img src="/never-closed.jpg" <img ]]> <![CDATA[ <img src="/in-cdata.jpg"> <!-- <img src="/c.jpg">');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (404, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', 'schemes', 'Schemes', 0, '<img src="javascript:alert(1)"><img src="https://user:pass@example.test/secret.jpg"><img src="https://example.test.evil.test/a.jpg"><img src="http://[::1"><img src="//"><img src=""><img src="https://example.test/%zz.jpg"><img src="https://example.test/%00.jpg">');

-- 1,100 images in one post; the protocol stops at 1,000.
--: on mariadb
SET SESSION group_concat_max_len = 1000000;
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (405, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', 'many-images', 'Many images', 0, (SELECT GROUP_CONCAT('<img src="/wp-content/uploads/i' || CAST(a.d + 10 * b.d + 100 * c.d AS CHAR) || '.jpg">' ORDER BY c.d, b.d, a.d) FROM
   (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) a,
   (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) b,
   (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10) c));

-- Dates: the ends of the calendar, days after the last one.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (406, 2, '9999-12-31 23:59:59', '9999-12-31 23:59:59', '9999-12-31 23:59:59', '9999-12-31 23:59:59', 'post', 'publish', 'year-9999', 'Year 9999', 0, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (407, 2, '1000-01-01 00:00:00', '1000-01-01 00:00:00', '1000-01-01 00:00:00', '1000-01-01 00:00:00', 'post', 'publish', 'year-1000', 'Year 1000', 0, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (408, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2199-01-01 00:00:00', '2199-01-01 00:00:00', 'post', 'publish', 'modified-tomorrow', 'Modified in 2199', 0, 'Text.');
--: on sqlite
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (409, 2, 'yesterday', 'yesterday', '', '', 'post', 'publish', 'no-date', 'No date', 0, 'Text.');
--: on sqlite
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (410, 2, '2024-13-45', '2024-13-45', '2024-10-01', '2024-10-01', 'post', 'publish', 'half-a-date', 'Half a date', 0, 'Text.');
--: on mariadb
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (409, 2, '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', 'post', 'publish', 'no-date', 'No date', 0, 'Text.');
--: on mariadb
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (410, 2, '2024-10-00 00:00:00', '2024-10-00 00:00:00', '2024-10-00 00:00:00', '2024-10-00 00:00:00', 'post', 'publish', 'half-a-date', 'Half a date', 0, 'Text.');

-- Trees: a page that is its own parent, an attachment too, a ring of three, a chain of 60.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (411, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'page', 'publish', 'own-parent', 'Own parent', 411, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (412, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'page', 'publish', 'ring-a', 'Ring', 414, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (413, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'page', 'publish', 'ring-b', 'Ring', 412, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (414, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'page', 'publish', 'ring-c', 'Ring', 413, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (415, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'attachment', 'inherit', 'own-child', 'Own child', 415, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_name, post_title, post_parent, post_content)
  SELECT 500 + n, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'page', 'deep-' || CAST(n AS CHAR), 'Deep', CASE n WHEN 0 THEN 0 ELSE 499 + n END, ''
  FROM (SELECT a.d + 10 * b.d AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) a, (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) b) numbers WHERE n < 60;

-- Names: the longest slug, a type and a taxonomy that would be paths, a type that
-- differs from "post" in case only, ids at the end of their range and at its beginning.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (416, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', '%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7%e6%b5%b7', '海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海海', 0, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (417, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '../etc/passwd', 'publish', 'a-path', 'Path', 0, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (418, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'POST', 'publish', 'shouting', 'Shouting', 0, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (419, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'PUBLISH', 'shouting-status', 'Shouting status', 0, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (0, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', 'number-zero', 'Number zero', 0, 'Text.');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (420, 4294967296, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', 'negative-parent', 'Absurd author', 0, 'Text.');
--: on mariadb
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_status, post_name, post_title, post_parent, post_content) VALUES
  (18446744073709551615, 2, '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', '2024-10-01 10:00:00', 'post', 'publish', 'the-last-id', 'The last id', 18446744073709551615, 'Text.');
INSERT INTO wp_terms (term_id, name, slug) VALUES (60, '', ''), (61, '<i>&', 'a<b>&"c'), (62, 'Own parent', 'own-parent'), (63, 'No taxonomy', 'no-taxonomy');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (1060, 60, 'category', '', 0, 1),
  (1061, 61, 'post_tag', '<img src="/t.jpg', 0, 1),
  (1062, 62, 'category', '', 62, 1),
  (1064, 64, 'category', '', 0, 1),
  (1065, 63, '../x', '', 0, -5);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (400, 1060), (400, 1061), (401, 1062), (402, 1064), (999999, 1002), (403, 999999);
INSERT INTO wp_users (ID, user_login, user_nicename, display_name) VALUES (400, 'x', '"><script>', '<script>'), (401, 'empty', '', '');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (400, '_yoast_wpseo_profile_updated', '99999999999999999999'), (401, '_yoast_wpseo_profile_updated', 'soon'), (2, NULL, NULL), (1, '_yoast_wpseo_profile_updated', '-1'), (400, 'wp_capabilities', 'a:1:{s:99:"editor";b:1;}');
UPDATE wp_posts SET post_author = 400 WHERE ID = 400;
UPDATE wp_posts SET post_author = 401 WHERE ID = 401;

-- Meta: no key, no value, a canonical of 3,000 characters, canonicals that are no address, ids that are none.
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (400, NULL, NULL),
  (400, '_yoast_wpseo_canonical', NULL),
  (401, '_yoast_wpseo_canonical', 'https://elsewhere.test/' || REPLACE(REPLACE(REPLACE('111', '1', '2222222222'), '2', '3333333333'), '3', 'xxxxxxxxx/')),
  (403, '_yoast_wpseo_canonical', 'javascript:alert(1)'),
  (404, '_yoast_wpseo_canonical', '   '),
  (405, '_yoast_wpseo_meta-robots-noindex', ' 1'),
  (406, '_yoast_wpseo_meta-robots-noindex', '1.0'),
  (407, '_YOAST_WPSEO_META-ROBOTS-NOINDEX', '1'),
  (404, '_thumbnail_id', '-1'),
  (405, '_thumbnail_id', '99999999999999999999999'),
  (403, '_thumbnail_id', '403'),
  (415, '_wp_attached_file', '../../../../etc/passwd'),
  (415, '_wp_attachment_metadata', 'a:1:{s:4:"file";s:900:"x";}'),
  (999999, '_thumbnail_id', '50');

-- Options: cut in the middle, wrong lengths after a search and replace, an object, an array
-- that claims to be endless, one a thousand deep, and values of no meaning.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('wpseo', 'a:3:{s:7:"version";s:4:"28.3";s:18:"enable_xml_sitemap";b:1;s:8:"home', 'on'),
  ('wpseo_titles', 'a:2:{s:12:"noindex-post";b:0;s:12:"noindex-page";s:5:"longer than five";}', 'on'),
  ('wpseo_taxonomy_meta', 'O:8:"stdClass":1:{s:8:"category";a:0:{}}', 'on'),
  ('rewrite_rules', 'a:999999999:{i:0;s:1:"x";}', 'on'),
  ('active_plugins', 'not serialized', 'on'),
  ('category_children', 'a:1:{i:13;i:14;}', 'on'),
  ('timezone_string', 'Mars/Olympus', 'on'),
  ('gmt_offset', '99', 'on'),
  ('page_on_front', '-1', 'on'),
  ('page_for_posts', 'three', 'on'),
  ('category_base', '/../<x>/', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '999', 'on');
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('cptui_post_types', REPLACE(REPLACE(REPLACE('1111111111', '1', '2222222222'), '2', '3333333333'), '3', 'a:1:{i:0;') || 'N;' ||
   REPLACE(REPLACE(REPLACE('1111111111', '1', '2222222222'), '2', '3333333333'), '3', '}'), 'on');

-- What Yoast "knows": a duplicate, a foreign host, no object, an unknown kind.
INSERT INTO wp_yoast_indexable (permalink, object_id, object_type, object_sub_type, post_status, is_robots_noindex, version) VALUES
  ('https://example.test/the-pier-at-dawn/', 100, 'post', 'post', 'publish', 1, 2),
  ('https://staging.test/control/', 400, 'post', 'post', 'publish', NULL, 2),
  ('http://[::1/', 401, 'post', 'post', 'publish', NULL, 2),
  (NULL, NULL, 'post', NULL, NULL, NULL, 9),
  ('https://example.test/x', 999999, 'comet', 'halley', 'publish', NULL, 2);

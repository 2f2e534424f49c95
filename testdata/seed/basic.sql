-- An ordinary site: pretty permalinks, a static front page and a posts page, summer time.
-- The ids speak: pages 2-29, attachments 50-69, posts from 100. A term_taxonomy_id is the
-- term_id + 1000, so that mixing them up shows. All of it is invented.

INSERT INTO wp_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://example.test', 'on'),
  ('home', 'https://example.test', 'on'),
  ('blogname', 'Harbour &amp; Hearth', 'on'),
  ('blogdescription', 'Notes from the quay', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('category_base', '', 'on'),
  ('tag_base', '', 'on'),
  ('rewrite_rules', '', 'on'),
  ('show_on_front', 'page', 'on'),
  ('page_on_front', '2', 'on'),
  ('page_for_posts', '3', 'on'),
  ('timezone_string', 'Europe/Amsterdam', 'on'),
  ('gmt_offset', '', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('uploads_use_yearmonth_folders', '1', 'on'),
  ('default_category', '1', 'on'),
  ('wp_attachment_pages_enabled', '0', 'on'),
  ('template', 'twentytwentyfive', 'on'),
  ('stylesheet', 'twentytwentyfive', 'on'),
  ('db_version', '61833', 'on'),
  ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}', 'on'),
  ('sticky_posts', 'a:1:{i:0;i:101;}', 'on'),
  ('category_children', 'a:3:{i:2;a:1:{i:0;i:3;}i:3;a:1:{i:0;i:4;}i:6;a:1:{i:0;i:7;}}', 'on'),
  ('wpseo', 'a:12:{s:7:"version";s:4:"28.3";s:18:"enable_xml_sitemap";b:1;s:19:"permalink_structure";s:12:"/%postname%/";s:8:"home_url";s:20:"https://example.test";s:17:"category_base_url";s:0:"";s:12:"tag_base_url";s:0:"";s:18:"dynamic_permalinks";b:0;s:29:"indexables_indexing_completed";b:1;s:28:"last_known_public_post_types";a:2:{i:0;s:4:"post";i:1;s:4:"page";}s:28:"last_known_public_taxonomies";a:3:{i:0;s:8:"category";i:1;s:8:"post_tag";i:2;s:11:"post_format";}s:14:"new_post_types";a:0:{}s:14:"new_taxonomies";a:0:{}}', 'on'),
  ('wpseo_titles', 'a:16:{s:9:"separator";s:7:"sc-dash";s:20:"noindex-author-wpseo";b:0;s:28:"noindex-author-noposts-wpseo";b:1;s:14:"disable-author";b:0;s:19:"disable-post_format";b:0;s:18:"disable-attachment";b:1;s:17:"stripcategorybase";b:0;s:10:"title-post";s:39:"%%title%% %%page%% %%sep%% %%sitename%%";s:12:"noindex-post";b:0;s:10:"title-page";s:39:"%%title%% %%page%% %%sep%% %%sitename%%";s:12:"noindex-page";b:0;s:18:"noindex-attachment";b:0;s:18:"title-tax-category";s:23:"%%term_title%% Archives";s:20:"noindex-tax-category";b:0;s:20:"noindex-tax-post_tag";b:0;s:23:"noindex-tax-post_format";b:1;}', 'on'),
  ('wpseo_taxonomy_meta', 'a:2:{s:8:"category";a:3:{i:8;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}i:9;a:1:{s:15:"wpseo_canonical";s:30:"https://elsewhere.test/topics/";}i:10;a:1:{s:15:"wpseo_canonical";s:44:"https://example.test/category/canonical-own/";}}s:8:"post_tag";a:1:{i:20;a:2:{s:13:"wpseo_noindex";s:5:"index";s:11:"wpseo_title";s:4:"Wind";}}}', 'on'),
  ('wp_user_roles', 'a:5:{s:13:"administrator";a:2:{s:4:"name";s:13:"Administrator";s:12:"capabilities";a:8:{s:10:"edit_posts";b:1;s:4:"read";b:1;s:8:"level_10";b:1;s:7:"level_7";b:1;s:7:"level_2";b:1;s:7:"level_1";b:1;s:7:"level_0";b:1;s:14:"manage_options";b:1;}}s:6:"editor";a:2:{s:4:"name";s:6:"Editor";s:12:"capabilities";a:5:{s:10:"edit_posts";b:1;s:4:"read";b:1;s:7:"level_7";b:1;s:7:"level_1";b:1;s:7:"level_0";b:1;}}s:6:"author";a:2:{s:4:"name";s:6:"Author";s:12:"capabilities";a:5:{s:10:"edit_posts";b:1;s:4:"read";b:1;s:7:"level_2";b:1;s:7:"level_1";b:1;s:7:"level_0";b:1;}}s:11:"contributor";a:2:{s:4:"name";s:11:"Contributor";s:12:"capabilities";a:4:{s:10:"edit_posts";b:1;s:4:"read";b:1;s:7:"level_1";b:1;s:7:"level_0";b:1;}}s:10:"subscriber";a:2:{s:4:"name";s:10:"Subscriber";s:12:"capabilities";a:2:{s:4:"read";b:1;s:7:"level_0";b:1;}}}', 'on');

-- 1 ada      administrator with posts
-- 2 bram     editor with most of the posts
-- 3 cleo     author with a post, kept out by wpseo_noindex_author
-- 4 dirk     subscriber without posts
-- 5 eva      author without posts
-- 6 finn     author with a post, never seen by Yoast: no _yoast_wpseo_profile_updated
-- 7 gus      subscriber with a post
-- 8 海 (sea)  percent-encoded nicename
-- 9 ines     author with drafts only
-- 99 is the author of a post, but was deleted.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, user_registered, display_name) VALUES
  (1, 'ada', '!', 'ada', 'ada@example.test', '2020-01-01 00:00:00', 'Ada Admiral'),
  (2, 'bram', '!', 'bram', 'bram@example.test', '2020-01-02 00:00:00', 'Bram of the Quay'),
  (3, 'cleo', '!', 'cleo', 'cleo@example.test', '2020-01-03 00:00:00', 'Cleo'),
  (4, 'dirk', '!', 'dirk', 'dirk@example.test', '2020-01-04 00:00:00', 'Dirk'),
  (5, 'eva', '!', 'eva', 'eva@example.test', '2020-01-05 00:00:00', 'Eva'),
  (6, 'finn', '!', 'finn', 'finn@example.test', '2020-01-06 00:00:00', 'Finn'),
  (7, 'gus', '!', 'gus', 'gus@example.test', '2020-01-07 00:00:00', 'Gus'),
  (8, 'umi', '!', '%e6%b5%b7', 'umi@example.test', '2020-01-08 00:00:00', '海'),
  (9, 'ines', '!', 'ines', 'ines@example.test', '2020-01-09 00:00:00', 'Ines');

INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1, 'wp_capabilities', 'a:1:{s:13:"administrator";b:1;}'),
  (1, 'wp_user_level', '10'),
  (2, 'wp_capabilities', 'a:1:{s:6:"editor";b:1;}'),
  (2, 'wp_user_level', '7'),
  (3, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (3, 'wp_user_level', '2'),
  (4, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}'),
  (4, 'wp_user_level', '0'),
  (5, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (5, 'wp_user_level', '2'),
  (6, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (6, 'wp_user_level', '2'),
  (7, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}'),
  (7, 'wp_user_level', '0'),
  (8, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (8, 'wp_user_level', '2'),
  (9, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (9, 'wp_user_level', '2'),
  (1, '_yoast_wpseo_profile_updated', '1714557600'),
  (2, '_yoast_wpseo_profile_updated', '1719828000'),
  (3, '_yoast_wpseo_profile_updated', '1714557700'),
  (4, '_yoast_wpseo_profile_updated', '1714557800'),
  (5, '_yoast_wpseo_profile_updated', '1714557900'),
  (7, '_yoast_wpseo_profile_updated', '1712000000'),
  (8, '_yoast_wpseo_profile_updated', '1715000000'),
  (9, '_yoast_wpseo_profile_updated', '1715000001'),
  (3, 'wpseo_noindex_author', 'on'),
  (2, 'wpseo_noindex_author', '');

-- Categories 1-16, tags from 20.
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1, 'Uncategorized', 'uncategorized'),
  (2, 'Harbour', 'harbour'),
  (3, 'Ferries', 'ferries'),
  (4, 'Night boats', 'night-boats'),
  (5, 'Empty shelf', 'empty-shelf'),
  (6, 'Parent without own posts', 'parent-only'),
  (7, 'Child of that parent', 'child'),
  (8, 'Kept out', 'kept-out'),
  (9, 'Canonical elsewhere', 'canonical-elsewhere'),
  (10, 'Canonical own', 'canonical-own'),
  (11, 'Only drafts', 'only-drafts'),
  (12, 'Only locked', 'only-locked'),
  (13, 'Snake head', 'snake-head'),
  (14, 'Snake tail', 'snake-tail'),
  (15, 'Parent is gone', 'parent-is-gone'),
  (16, 'Новости', '%d0%bd%d0%be%d0%b2%d0%be%d1%81%d1%82%d0%b8'),
  (20, 'wind', 'wind'),
  (21, '🚀 rocket', '%f0%9f%9a%80-rocket'),
  (22, 'R&amp;D', 'rd'),
  (23, 'Never used', 'never-used'),
  (24, 'Éclairage', 'eclairage'),
  (25, 'apple crates', 'apple-crates'),
  (26, 'Count is stale', 'count-is-stale'),
  (27, '10 knots', '10-knots'),
  (30, 'main', 'main');

-- 13 and 14 are each other's parent, 999 does not exist, 26 counts posts it does not have,
-- 30 is a menu.
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (1001, 1, 'category', '', 0, 0),
  (1002, 2, 'category', 'All about the port.', 0, 8),
  (1003, 3, 'category', '<p>The dock <img src="/wp-content/uploads/2024/05/dock.jpg" alt="dock"> and <img src="https://elsewhere.test/x.jpg"></p>', 2, 2),
  (1004, 4, 'category', '', 3, 1),
  (1005, 5, 'category', '', 0, 0),
  (1006, 6, 'category', '', 0, 0),
  (1007, 7, 'category', '', 6, 1),
  (1008, 8, 'category', '', 0, 1),
  (1009, 9, 'category', '', 0, 1),
  (1010, 10, 'category', '', 0, 1),
  (1011, 11, 'category', '', 0, 0),
  (1012, 12, 'category', '', 0, 1),
  (1013, 13, 'category', '', 14, 1),
  (1014, 14, 'category', '', 13, 1),
  (1015, 15, 'category', '', 999, 1),
  (1016, 16, 'category', '', 0, 1),
  (1020, 20, 'post_tag', '', 0, 3),
  (1021, 21, 'post_tag', '', 0, 1),
  (1022, 22, 'post_tag', '', 0, 1),
  (1023, 23, 'post_tag', '', 0, 0),
  (1024, 24, 'post_tag', '', 0, 1),
  (1025, 25, 'post_tag', '', 0, 1),
  (1026, 26, 'post_tag', '', 0, 5),
  (1027, 27, 'post_tag', '', 0, 1),
  (1030, 30, 'nav_menu', '', 0, 0);

-- Pages. 2 is the front page, 3 the posts page.
-- 4 > 5 > 6 is an ordinary tree; 7 is a draft with the published child 8; 9 and 10 are each
-- other's parent; the parent of 11 is gone; 15 and 16 have trashed and private parents.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (2, 2, '2024-01-10 10:00:00', '2024-01-10 09:00:00', '2024-06-20 09:30:00', '2024-06-20 07:30:00', 'publish', 'page', 'welcome', 'Welcome', 0, '',
   '<!-- wp:image {"id":51} --><figure class="wp-block-image"><img src="https://example.test/wp-content/uploads/2024/05/ferry-300x200.jpg" alt="" class="wp-image-51"/></figure><!-- /wp:image -->'),
  (3, 2, '2024-01-10 10:05:00', '2024-01-10 09:05:00', '2024-01-10 10:05:00', '2024-01-10 09:05:00', 'publish', 'page', 'journal', 'Journal', 0, '',
   ''),
  (4, 2, '2024-01-11 10:00:00', '2024-01-11 09:00:00', '2024-02-01 13:00:00', '2024-02-01 12:00:00', 'publish', 'page', 'about', 'About', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (5, 2, '2024-01-11 11:00:00', '2024-01-11 10:00:00', '2024-01-11 11:00:00', '2024-01-11 10:00:00', 'publish', 'page', 'crew', 'Crew', 4, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (6, 2, '2024-01-11 12:00:00', '2024-01-11 11:00:00', '2024-01-11 12:00:00', '2024-01-11 11:00:00', 'publish', 'page', 'cook', 'Cook', 5, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (7, 2, '2024-01-12 10:00:00', '0000-00-00 00:00:00', '2024-01-12 10:00:00', '2024-01-12 09:00:00', 'draft', 'page', 'plans', 'Plans', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (8, 2, '2024-01-12 11:00:00', '2024-01-12 10:00:00', '2024-01-12 11:00:00', '2024-01-12 10:00:00', 'publish', 'page', 'budget', 'Budget', 7, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (9, 2, '2024-01-13 10:00:00', '2024-01-13 09:00:00', '2024-01-13 10:00:00', '2024-01-13 09:00:00', 'publish', 'page', 'hen', 'Hen', 10, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (10, 2, '2024-01-13 11:00:00', '2024-01-13 10:00:00', '2024-01-13 11:00:00', '2024-01-13 10:00:00', 'publish', 'page', 'egg', 'Egg', 9, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (11, 2, '2024-01-14 10:00:00', '2024-01-14 09:00:00', '2024-01-14 10:00:00', '2024-01-14 09:00:00', 'publish', 'page', 'orphan', 'Orphan', 998, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (12, 2, '2024-01-15 10:00:00', '2024-01-15 09:00:00', '2024-01-15 10:00:00', '2024-01-15 09:00:00', 'publish', 'page', 'imprint', 'Imprint', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (13, 2, '2024-01-16 10:00:00', '2024-01-16 09:00:00', '2024-01-16 10:00:00', '2024-01-16 09:00:00', 'trash', 'page', 'binned__trashed', 'Binned__trashed', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (14, 2, '2024-01-17 10:00:00', '2024-01-17 09:00:00', '2024-01-17 10:00:00', '2024-01-17 09:00:00', 'private', 'page', 'diary', 'Diary', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (15, 2, '2024-01-18 10:00:00', '2024-01-18 09:00:00', '2024-01-18 10:00:00', '2024-01-18 09:00:00', 'publish', 'page', 'under-the-bin', 'Under the bin', 13, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (16, 2, '2024-01-19 10:00:00', '2024-01-19 09:00:00', '2024-01-19 10:00:00', '2024-01-19 09:00:00', 'publish', 'page', 'entry', 'Entry', 14, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->');

-- Attachments. 53 has raw UTF-8 in its file name, 54 a space; 55 is in the trash; 56 has no
-- file; 57 is no image; 58 to 60 make a gallery, newest first: 59, 58, 60.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_excerpt, post_parent, post_mime_type, guid, post_content) VALUES
  (50, 2, '2024-05-01 08:00:00', '2024-05-01 06:00:00', '2024-05-01 08:00:00', '2024-05-01 06:00:00', 'inherit', 'attachment', 'pier', 'Pier in the morning', 'The old <em>pier</em>, photographed from the north.', 100, 'image/jpeg', 'https://example.test/?attachment_id=50', ''),
  (51, 2, '2024-05-01 08:01:00', '2024-05-01 06:01:00', '2024-05-01 08:01:00', '2024-05-01 06:01:00', 'inherit', 'attachment', 'ferry', 'Ferry at dawn', '', 100, 'image/jpeg', 'https://example.test/?attachment_id=51', ''),
  (52, 2, '2024-05-01 08:02:00', '2024-05-01 06:02:00', '2024-05-01 08:02:00', '2024-05-01 06:02:00', 'inherit', 'attachment', 'mill', '', '', 0, 'image/png', 'https://example.test/?attachment_id=52', ''),
  (53, 2, '2024-05-01 08:03:00', '2024-05-01 06:03:00', '2024-05-01 08:03:00', '2024-05-01 06:03:00', 'inherit', 'attachment', 'cafe', 'café', 'Coffee & cake', 0, 'image/jpeg', 'https://example.test/?attachment_id=53', ''),
  (54, 2, '2024-05-01 08:04:00', '2024-05-01 06:04:00', '2024-05-01 08:04:00', '2024-05-01 06:04:00', 'inherit', 'attachment', 'two-words', 'two words', '', 0, 'image/jpeg', 'https://example.test/?attachment_id=54', ''),
  (55, 2, '2024-05-01 08:05:00', '2024-05-01 06:05:00', '2024-05-01 08:05:00', '2024-05-01 06:05:00', 'trash', 'attachment', 'old-sign__trashed', 'Old sign', '', 0, 'image/jpeg', 'https://example.test/?attachment_id=55', ''),
  (56, 2, '2024-05-01 08:06:00', '2024-05-01 06:06:00', '2024-05-01 08:06:00', '2024-05-01 06:06:00', 'inherit', 'attachment', 'lost', 'Lost', '', 0, 'image/jpeg', 'https://example.test/?attachment_id=56', ''),
  (57, 2, '2024-05-01 08:07:00', '2024-05-01 06:07:00', '2024-05-01 08:07:00', '2024-05-01 06:07:00', 'inherit', 'attachment', 'timetable', 'Timetable', '', 0, 'application/pdf', 'https://example.test/?attachment_id=57', ''),
  (58, 2, '2024-05-02 08:00:00', '2024-05-02 06:00:00', '2024-05-02 08:00:00', '2024-05-02 06:00:00', 'inherit', 'attachment', 'gallery-a', 'Gallery A', 'Caption A', 105, 'image/jpeg', 'https://example.test/?attachment_id=58', ''),
  (59, 2, '2024-05-03 08:00:00', '2024-05-03 06:00:00', '2024-05-03 08:00:00', '2024-05-03 06:00:00', 'inherit', 'attachment', 'gallery-b', 'Gallery B', '', 105, 'image/jpeg', 'https://example.test/?attachment_id=59', ''),
  (60, 2, '2024-05-01 08:00:00', '2024-05-01 06:00:00', '2024-05-01 08:00:00', '2024-05-01 06:00:00', 'inherit', 'attachment', 'gallery-c', 'Gallery C', '', 105, 'image/webp', 'https://example.test/?attachment_id=60', '');

INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (50, '_wp_attached_file', '2024/05/pier-scaled.jpg'),
  (51, '_wp_attached_file', '2024/05/ferry.jpg'),
  (52, '_wp_attached_file', '2024/05/mill.png'),
  (53, '_wp_attached_file', '2024/05/café.jpg'),
  (54, '_wp_attached_file', '2024/05/two words.jpg'),
  (55, '_wp_attached_file', '2024/05/old-sign.jpg'),
  (57, '_wp_attached_file', '2024/05/timetable.pdf'),
  (58, '_wp_attached_file', '2024/05/gallery-a.jpg'),
  (59, '_wp_attached_file', '2024/05/gallery-b.jpg'),
  (60, '_wp_attached_file', '2024/05/gallery-c.webp'),
  (50, '_wp_attachment_metadata', 'a:6:{s:5:"width";i:2560;s:6:"height";i:1707;s:4:"file";s:23:"2024/05/pier-scaled.jpg";s:5:"sizes";a:2:{s:6:"medium";a:4:{s:4:"file";s:23:"pier-scaled-300x200.jpg";s:5:"width";i:300;s:6:"height";i:200;s:9:"mime-type";s:10:"image/jpeg";}s:9:"thumbnail";a:4:{s:4:"file";s:23:"pier-scaled-150x150.jpg";s:5:"width";i:150;s:6:"height";i:150;s:9:"mime-type";s:10:"image/jpeg";}}s:10:"image_meta";a:0:{}s:14:"original_image";s:8:"pier.jpg";}'),
  (51, '_wp_attachment_metadata', 'a:5:{s:5:"width";i:1600;s:6:"height";i:1067;s:4:"file";s:17:"2024/05/ferry.jpg";s:5:"sizes";a:2:{s:6:"medium";a:4:{s:4:"file";s:17:"ferry-300x200.jpg";s:5:"width";i:300;s:6:"height";i:200;s:9:"mime-type";s:10:"image/jpeg";}s:9:"thumbnail";a:4:{s:4:"file";s:17:"ferry-150x150.jpg";s:5:"width";i:150;s:6:"height";i:150;s:9:"mime-type";s:10:"image/jpeg";}}s:10:"image_meta";a:0:{}}'),
  (53, '_wp_attachment_metadata', 'a:5:{s:5:"width";i:1200;s:6:"height";i:800;s:4:"file";s:17:"2024/05/café.jpg";s:5:"sizes";a:2:{s:6:"medium";a:4:{s:4:"file";s:17:"café-300x200.jpg";s:5:"width";i:300;s:6:"height";i:200;s:9:"mime-type";s:10:"image/jpeg";}s:9:"thumbnail";a:4:{s:4:"file";s:17:"café-150x150.jpg";s:5:"width";i:150;s:6:"height";i:150;s:9:"mime-type";s:10:"image/jpeg";}}s:10:"image_meta";a:0:{}}');

-- Posts that are listed. 101 is sticky, 106 has three pages, 107 was modified before it was
-- published, 108 has no modified date, 109 has no GMT dates at all (an import), 110 to 112 lie
-- around the end of summer time: 111 was written after 110, in the repeated hour.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (100, 2, '2024-05-01 12:00:00', '2024-05-01 10:00:00', '2024-05-02 13:00:00', '2024-05-02 11:00:00', 'publish', 'post', 'the-pier-at-dawn', 'The pier at dawn', 0, '',
   '<!-- wp:image {"id":50} --><figure class="wp-block-image"><img src="https://example.test/wp-content/uploads/2024/05/pier-300x200.jpg" alt="The pier" class="wp-image-50"/></figure><!-- /wp:image --><!-- wp:image {"id":51} --><figure class="wp-block-image"><img src="https://example.test/wp-content/uploads/2024/05/ferry-150x150.jpg?v=2" alt="" class="wp-image-51"/></figure><!-- /wp:image -->'),
  (101, 1, '2024-05-03 12:00:00', '2024-05-03 10:00:00', '2024-05-03 12:00:00', '2024-05-03 10:00:00', 'publish', 'post', 'sticky-news', 'Sticky news', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (102, 8, '2024-05-04 12:00:00', '2024-05-04 10:00:00', '2024-05-04 12:00:00', '2024-05-04 10:00:00', 'publish', 'post', '%f0%9f%9a%80-to-the-moon', '🚀 to the moon', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (103, 7, '2024-05-05 12:00:00', '2024-05-05 10:00:00', '2024-05-05 12:00:00', '2024-05-05 10:00:00', 'publish', 'post', '%d0%bb%d0%be%d0%b4%d0%ba%d0%b0', 'Лодка', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (104, 2, '2024-05-06 12:00:00', '2024-05-06 10:00:00', '2024-05-06 12:00:00', '2024-05-06 10:00:00', 'publish', 'post', 'every-kind-of-image', 'Every kind of image', 0, '',
   '<p><img src="https://example.test/wp-content/uploads/2024/05/pier.jpg" alt="own host">
<img src="/wp-content/uploads/2024/05/root-relative.jpg">
<img src="no-leading-slash.jpg">
<img src="//example.test/wp-content/uploads/2024/05/no-scheme.jpg">
<img src="https://cdn.elsewhere.test/foreign.jpg">
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<img src="https://example.test/wp-content/uploads/2024/05/amp.jpg?a=1&amp;b=2">
<img class="alignleft wp-image-53 size-medium" src="https://example.test/wp-content/uploads/2024/05/caf%C3%A9-300x200.jpg">
<img class="wp-image-54" src="https://example.test/wp-content/uploads/2024/05/two%20words.jpg">
<img class="wp-image-55" src="https://example.test/wp-content/uploads/2024/05/old-sign.jpg">
<img class="wp-image-56" src="https://example.test/wp-content/uploads/2024/05/lost.jpg">
<img class="wp-image-9999" src="https://example.test/wp-content/uploads/2024/05/never-there.jpg">
<img class="wp-image-51 size-full" src="https://example.test/wp-content/uploads/2024/05/ferry.jpg">
<noscript><img src="/in-noscript.jpg"></noscript><!-- <img src="/in-comment.jpg"> --><script>"<img src=''/in-script.jpg''>"</script></p>'),
  (105, 2, '2024-05-07 12:00:00', '2024-05-07 10:00:00', '2024-05-07 12:00:00', '2024-05-07 10:00:00', 'publish', 'post', 'gallery-day', 'Gallery day', 0, '',
   '[gallery ids="60,58,59"]
[gallery]
<img src="https://example.test/wp-content/uploads/2024/05/gallery-a.jpg"><img src="https://example.test/wp-content/uploads/2024/05/gallery-a.jpg">'),
  (106, 2, '2024-05-08 12:00:00', '2024-05-08 10:00:00', '2024-05-08 12:00:00', '2024-05-08 10:00:00', 'publish', 'post', 'long-read', 'Long read', 0, '',
   'First.<!--nextpage-->Second. <img src="/wp-content/uploads/2024/05/second.jpg"><!--nextpage-->Third.'),
  (107, 2, '2024-05-09 12:00:00', '2024-05-09 10:00:00', '2024-04-01 12:00:00', '2024-04-01 10:00:00', 'publish', 'post', 'modified-before-published', 'Modified before published', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (108, 2, '2024-05-10 12:00:00', '2024-05-10 10:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', 'publish', 'post', 'no-modified-date', 'No modified date', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (109, 99, '2012-03-04 05:06:07', '0000-00-00 00:00:00', '2012-03-04 05:06:07', '0000-00-00 00:00:00', 'publish', 'post', 'imported-without-gmt', 'Imported without gmt', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (110, 2, '2024-10-27 02:30:00', '2024-10-27 00:30:00', '2024-10-27 02:30:00', '2024-10-27 00:30:00', 'publish', 'post', 'summer-ends-first-2-30', 'Summer ends first 2 30', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (111, 2, '2024-10-27 02:15:00', '2024-10-27 01:15:00', '2024-10-27 02:15:00', '2024-10-27 01:15:00', 'publish', 'post', 'summer-ends-second-2-15', 'Summer ends second 2 15', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (112, 2, '2024-10-27 03:00:00', '2024-10-27 02:00:00', '2024-10-27 03:00:00', '2024-10-27 02:00:00', 'publish', 'post', 'winter-begins', 'Winter begins', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (113, 6, '2024-05-11 12:00:00', '2024-05-11 10:00:00', '2024-05-11 12:00:00', '2024-05-11 10:00:00', 'publish', 'post', 'featured-only', 'Featured only', 0, '',
   ''),
  (114, 2, '2024-05-12 12:00:00', '2024-05-12 10:00:00', '2024-05-12 12:00:00', '2024-05-12 10:00:00', 'publish', 'post', 'featured-twice', 'Featured twice', 0, '',
   '<!-- wp:image {"id":50} --><figure class="wp-block-image"><img src="https://example.test/wp-content/uploads/2024/05/pier-scaled.jpg" alt="again" class="wp-image-50"/></figure><!-- /wp:image -->'),
  (115, 3, '2024-05-13 12:00:00', '2024-05-13 10:00:00', '2024-05-13 12:00:00', '2024-05-13 10:00:00', 'publish', 'post', 'of-cleo', 'Of cleo', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->');

-- Posts about robots and canonicals. noindex is the meta value 1; 2 is index; anything
-- else, and all but the first of several rows, counts for nothing.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (120, 2, '2024-06-01 12:00:00', '2024-06-01 10:00:00', '2024-06-01 12:00:00', '2024-06-01 10:00:00', 'publish', 'post', 'noindex-1', 'Noindex 1', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (121, 2, '2024-06-02 12:00:00', '2024-06-02 10:00:00', '2024-06-02 12:00:00', '2024-06-02 10:00:00', 'publish', 'post', 'noindex-2', 'Noindex 2', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (122, 2, '2024-06-03 12:00:00', '2024-06-03 10:00:00', '2024-06-03 12:00:00', '2024-06-03 10:00:00', 'publish', 'post', 'noindex-0', 'Noindex 0', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (123, 2, '2024-06-04 12:00:00', '2024-06-04 10:00:00', '2024-06-04 12:00:00', '2024-06-04 10:00:00', 'publish', 'post', 'canonical-elsewhere', 'Canonical elsewhere', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (124, 2, '2024-06-05 12:00:00', '2024-06-05 10:00:00', '2024-06-05 12:00:00', '2024-06-05 10:00:00', 'publish', 'post', 'canonical-own-address', 'Canonical own address', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (125, 2, '2024-06-06 12:00:00', '2024-06-06 10:00:00', '2024-06-06 12:00:00', '2024-06-06 10:00:00', 'publish', 'post', 'canonical-relative', 'Canonical relative', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (126, 2, '2024-06-07 12:00:00', '2024-06-07 10:00:00', '2024-06-07 12:00:00', '2024-06-07 10:00:00', 'publish', 'post', 'canonical-without-slash', 'Canonical without slash', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (127, 2, '2024-06-08 12:00:00', '2024-06-08 10:00:00', '2024-06-08 12:00:00', '2024-06-08 10:00:00', 'publish', 'post', 'canonical-http', 'Canonical http', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (128, 2, '2024-06-09 12:00:00', '2024-06-09 10:00:00', '2024-06-09 12:00:00', '2024-06-09 10:00:00', 'publish', 'post', 'canonical-empty', 'Canonical empty', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (129, 2, '2024-06-10 12:00:00', '2024-06-10 10:00:00', '2024-06-10 12:00:00', '2024-06-10 10:00:00', 'publish', 'post', 'noindex-twice', 'Noindex twice', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (130, 2, '2024-06-11 12:00:00', '2024-06-11 10:00:00', '2024-06-11 12:00:00', '2024-06-11 10:00:00', 'publish', 'post', 'canonical-twice', 'Canonical twice', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->');

-- Posts that nobody may see. 146 is a revision of 100 with a later date than anything; 147 is due but
-- WordPress has not published it; 148 is an auto-draft without any date.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (140, 2, '2024-07-01 12:00:00', '2024-07-01 10:00:00', '2024-07-01 12:00:00', '2024-07-01 10:00:00', 'publish', 'post', 'locked', 'Locked', 0, 'sesame',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (141, 2, '2024-07-02 12:00:00', '2024-07-02 10:00:00', '2024-07-02 12:00:00', '2024-07-02 10:00:00', 'private', 'post', 'private-thoughts', 'Private thoughts', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (142, 9, '2024-07-03 12:00:00', '0000-00-00 00:00:00', '2024-07-03 12:00:00', '2024-07-03 10:00:00', 'draft', 'post', 'half-written', 'Half written', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (143, 2, '2024-07-04 12:00:00', '0000-00-00 00:00:00', '2024-07-04 12:00:00', '2024-07-04 10:00:00', 'pending', 'post', 'for-review', 'For review', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (144, 2, '2099-01-01 11:00:00', '2099-01-01 10:00:00', '2024-07-05 12:00:00', '2024-07-05 10:00:00', 'future', 'post', 'in-the-year-2099', 'In the year 2099', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (145, 2, '2024-07-06 12:00:00', '2024-07-06 10:00:00', '2024-07-06 12:00:00', '2024-07-06 10:00:00', 'trash', 'post', 'thrown-away__trashed', 'Thrown away__trashed', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (146, 2, '2025-12-01 11:00:00', '2025-12-01 10:00:00', '2025-12-01 11:00:00', '2025-12-01 10:00:00', 'inherit', 'revision', '100-revision-v1', '100 revision v1', 100, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (147, 2, '2024-07-07 12:00:00', '2024-07-07 10:00:00', '2024-07-07 12:00:00', '2024-07-07 10:00:00', 'future', 'post', 'missed-schedule', 'Missed schedule', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (148, 2, '2024-07-08 12:00:00', '0000-00-00 00:00:00', '2024-07-08 12:00:00', '0000-00-00 00:00:00', 'auto-draft', 'post', '', 'Auto Draft', 0, '',
   ''),
  (149, 2, '2024-07-09 12:00:00', '2024-07-09 10:00:00', '2024-07-09 12:00:00', '2024-07-09 10:00:00', 'publish', 'post', '', 'No slug', 0, '',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->'),
  (150, 2, '2024-07-10 12:00:00', '2024-07-10 10:00:00', '2024-07-10 12:00:00', '2024-07-10 10:00:00', 'publish', 'post', 'locked-with-zero', 'Locked with zero', 0, '0',
   '<!-- wp:paragraph --><p>Plain text.</p><!-- /wp:paragraph -->');

-- The decisive meta rows.
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (12, '_yoast_wpseo_meta-robots-noindex', '1'),
  (120, '_yoast_wpseo_meta-robots-noindex', '1'),
  (121, '_yoast_wpseo_meta-robots-noindex', '2'),
  (122, '_yoast_wpseo_meta-robots-noindex', '0'),
  (123, '_yoast_wpseo_canonical', 'https://elsewhere.test/the-original/'),
  (124, '_yoast_wpseo_canonical', 'https://example.test/canonical-own-address/'),
  (125, '_yoast_wpseo_canonical', '/canonical-relative/'),
  (126, '_yoast_wpseo_canonical', 'https://example.test/canonical-without-slash'),
  (127, '_yoast_wpseo_canonical', 'http://example.test/canonical-http/'),
  (128, '_yoast_wpseo_canonical', ''),
  (129, '_yoast_wpseo_meta-robots-noindex', '2'),
  (129, '_yoast_wpseo_meta-robots-noindex', '1'),
  (130, '_yoast_wpseo_canonical', 'https://example.test/canonical-twice/'),
  (130, '_yoast_wpseo_canonical', 'https://elsewhere.test/second/'),
  (113, '_thumbnail_id', '50'),
  (114, '_thumbnail_id', '50'),
  (100, '_yoast_wpseo_primary_category', '3'),
  (101, '_yoast_wpseo_primary_category', '7'),
  (140, '_thumbnail_id', '51'),
  (141, '_edit_lock', '1714557600:2');

-- 100 is in a category and its child, 109 in none.
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES
  (100, 1002),
  (100, 1003),
  (100, 1020),
  (101, 1002),
  (101, 1020),
  (101, 1021),
  (102, 1002),
  (102, 1024),
  (103, 1016),
  (103, 1022),
  (104, 1003),
  (104, 1025),
  (105, 1004),
  (105, 1020),
  (106, 1007),
  (107, 1008),
  (108, 1009),
  (110, 1010),
  (111, 1013),
  (112, 1014),
  (113, 1015),
  (114, 1002),
  (114, 1027),
  (115, 1002),
  (120, 1002),
  (121, 1002),
  (123, 1002),
  (140, 1012),
  (142, 1011);

-- What Yoast knows of some of them; version 0 and a missing permalink await a rebuild.
INSERT INTO wp_yoast_indexable (permalink, object_id, object_type, object_sub_type, author_id, post_status, is_public, is_robots_noindex, version, object_last_modified, object_published_at) VALUES
  ('https://example.test/', NULL, 'home-page', NULL, NULL, NULL, NULL, 0, 2, '2024-10-27 02:00:00', '2012-03-04 05:06:07'),
  ('https://example.test/the-pier-at-dawn/', 100, 'post', 'post', 2, 'publish', NULL, NULL, 2, '2024-05-02 11:00:00', '2024-05-01 10:00:00'),
  ('https://example.test/noindex-1/', 120, 'post', 'post', 2, 'publish', 0, 1, 2, '2024-06-01 10:00:00', '2024-06-01 10:00:00'),
  (NULL, 121, 'post', 'post', 2, 'publish', 1, 0, 0, '2024-06-02 10:00:00', '2024-06-02 10:00:00'),
  ('https://example.test/about/crew/', 5, 'post', 'page', 2, 'publish', NULL, NULL, 2, '2024-01-11 10:00:00', '2024-01-11 10:00:00'),
  ('https://example.test/category/harbour/ferries/', 3, 'term', 'category', NULL, NULL, NULL, NULL, 2, '2024-05-06 10:00:00', '2024-05-01 10:00:00'),
  ('https://example.test/author/bram/', 2, 'user', NULL, NULL, NULL, NULL, NULL, 2, '2024-10-27 02:00:00', '2024-01-10 09:00:00');

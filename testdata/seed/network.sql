-- Over basic: a network in subdirectories, with basic as its main site.
--   2 /fish/             an ordinary blog          5 /gone/   deleted
--   3 https://bread.test a mapped domain           6 /hush/   not public in lists, otherwise like 2
--   4 /old/              archived                  7 /junk/   spam
-- Yoast is active for the whole network. ada writes on 1 and 2, bram on 1 and 3.
--: create network
INSERT INTO wp_site (id, domain, path) VALUES (1, 'example.test', '/');
INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated, public, archived, spam, deleted) VALUES
  (1, 1, 'example.test', '/', '2024-01-01 00:00:00', '2024-09-01 00:00:00', 1, 0, 0, 0),
  (2, 1, 'example.test', '/fish/', '2024-01-02 00:00:00', '2024-09-01 00:00:00', 1, 0, 0, 0),
  (3, 1, 'bread.test', '/', '2024-01-03 00:00:00', '2024-09-01 00:00:00', 1, 0, 0, 0),
  (4, 1, 'example.test', '/old/', '2024-01-04 00:00:00', '2024-09-01 00:00:00', 1, 1, 0, 0),
  (5, 1, 'example.test', '/gone/', '2024-01-05 00:00:00', '2024-09-01 00:00:00', 1, 0, 0, 1),
  (6, 1, 'example.test', '/hush/', '2024-01-06 00:00:00', '2024-09-01 00:00:00', 0, 0, 0, 0),
  (7, 1, 'example.test', '/junk/', '2024-01-07 00:00:00', '2024-09-01 00:00:00', 1, 0, 1, 0);
INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES
  (1, 'site_name', 'Shore Net'),
  (1, 'siteurl', 'https://example.test/'),
  (1, 'main_site', '1'),
  (1, 'subdomain_install', '0'),
  (1, 'ms_files_rewriting', '0'),
  (1, 'WPLANG', 'nl_NL'),
  (1, 'site_admins', 'a:1:{i:0;s:3:"ada";}'),
  (1, 'active_sitewide_plugins', 'a:1:{s:24:"wordpress-seo/wp-seo.php";i:1714557600;}'),
  (1, 'wpseo_ms', 'a:2:{s:6:"access";s:5:"admin";s:24:"allow_enable_xml_sitemap";b:1;}');
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('permalink_structure', '/blog/%postname%/', 'on'),
  ('active_plugins', 'a:0:{}', 'on');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1, 'wp_2_capabilities', 'a:1:{s:13:"administrator";b:1;}'),
  (1, 'wp_2_user_level', '10'),
  (2, 'wp_3_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (2, 'wp_3_user_level', '2'),
  (3, 'wp_2_capabilities', 'a:1:{s:6:"author";b:1;}'),
  (3, 'wp_2_user_level', '2');

-- Blog 2: Fish
--: create blog 2
INSERT INTO wp_2_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://example.test/fish', 'on'),
  ('home', 'https://example.test/fish', 'on'),
  ('blogname', 'Fish', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('category_base', '', 'on'),
  ('tag_base', '', 'on'),
  ('show_on_front', 'posts', 'on'),
  ('page_on_front', '0', 'on'),
  ('page_for_posts', '0', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '0', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '1', 'on'),
  ('active_plugins', 'a:0:{}', 'on'),
  ('WPLANG', '', 'on');
INSERT INTO wp_2_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_name, post_title, post_content) VALUES
  (1, 1, '2024-09-01 10:00:00', '2024-09-01 10:00:00', '2024-09-01 10:00:00', '2024-09-01 10:00:00', 'post', 'herring', 'Herring', '<img src="https://example.test/fish/wp-content/uploads/sites/2/2024/09/a.jpg">'),
  (2, 3, '2024-09-02 10:00:00', '2024-09-02 10:00:00', '2024-09-02 10:00:00', '2024-09-02 10:00:00', 'post', 'cod', 'Cod', '<img src="https://example.test/fish/wp-content/uploads/sites/2/2024/09/a.jpg">'),
  (3, 1, '2024-09-03 10:00:00', '2024-09-03 10:00:00', '2024-09-03 10:00:00', '2024-09-03 10:00:00', 'page', 'opening-hours', 'Opening hours', '<img src="https://example.test/fish/wp-content/uploads/sites/2/2024/09/a.jpg">');
INSERT INTO wp_2_terms (term_id, name, slug) VALUES (1, 'Uncategorized', 'uncategorized');
INSERT INTO wp_2_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1, 1, 'category', '', 0, 2);
INSERT INTO wp_2_term_relationships (object_id, term_taxonomy_id) VALUES (1, 1), (2, 1);

-- Blog 3: Bread
--: create blog 3
INSERT INTO wp_3_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://bread.test', 'on'),
  ('home', 'https://bread.test', 'on'),
  ('blogname', 'Bread', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%year%/%postname%/', 'on'),
  ('category_base', '', 'on'),
  ('tag_base', '', 'on'),
  ('show_on_front', 'posts', 'on'),
  ('page_on_front', '0', 'on'),
  ('page_for_posts', '0', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '0', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '1', 'on'),
  ('active_plugins', 'a:0:{}', 'on');
INSERT INTO wp_3_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_name, post_title, post_content) VALUES
  (1, 2, '2024-09-01 11:00:00', '2024-09-01 11:00:00', '2024-09-01 11:00:00', '2024-09-01 11:00:00', 'post', 'rye', 'Rye', '<img src="https://bread.test/wp-content/uploads/sites/3/2024/09/a.jpg">'),
  (2, 2, '2024-09-02 11:00:00', '2024-09-02 11:00:00', '2024-09-02 11:00:00', '2024-09-02 11:00:00', 'post', 'wheat', 'Wheat', '<img src="https://bread.test/wp-content/uploads/sites/3/2024/09/a.jpg">');
INSERT INTO wp_3_terms (term_id, name, slug) VALUES (1, 'Uncategorized', 'uncategorized');
INSERT INTO wp_3_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1, 1, 'category', '', 0, 2);
INSERT INTO wp_3_term_relationships (object_id, term_taxonomy_id) VALUES (1, 1), (2, 1);

-- Blog 4: Old
--: create blog 4
INSERT INTO wp_4_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://example.test/old', 'on'),
  ('home', 'https://example.test/old', 'on'),
  ('blogname', 'Old', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('category_base', '', 'on'),
  ('tag_base', '', 'on'),
  ('show_on_front', 'posts', 'on'),
  ('page_on_front', '0', 'on'),
  ('page_for_posts', '0', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '0', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '1', 'on'),
  ('active_plugins', 'a:0:{}', 'on');
INSERT INTO wp_4_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_name, post_title, post_content) VALUES
  (1, 1, '2024-09-01 12:00:00', '2024-09-01 12:00:00', '2024-09-01 12:00:00', '2024-09-01 12:00:00', 'post', 'old-post', 'Old post', '<img src="https://example.test/old/wp-content/uploads/sites/4/2024/09/a.jpg">');
INSERT INTO wp_4_terms (term_id, name, slug) VALUES (1, 'Uncategorized', 'uncategorized');
INSERT INTO wp_4_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1, 1, 'category', '', 0, 1);
INSERT INTO wp_4_term_relationships (object_id, term_taxonomy_id) VALUES (1, 1);

-- Blog 5: Gone
--: create blog 5
INSERT INTO wp_5_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://example.test/gone', 'on'),
  ('home', 'https://example.test/gone', 'on'),
  ('blogname', 'Gone', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('category_base', '', 'on'),
  ('tag_base', '', 'on'),
  ('show_on_front', 'posts', 'on'),
  ('page_on_front', '0', 'on'),
  ('page_for_posts', '0', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '0', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '1', 'on'),
  ('active_plugins', 'a:0:{}', 'on');
INSERT INTO wp_5_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_name, post_title, post_content) VALUES
  (1, 1, '2024-09-01 13:00:00', '2024-09-01 13:00:00', '2024-09-01 13:00:00', '2024-09-01 13:00:00', 'post', 'gone-post', 'Gone post', '<img src="https://example.test/gone/wp-content/uploads/sites/5/2024/09/a.jpg">');
INSERT INTO wp_5_terms (term_id, name, slug) VALUES (1, 'Uncategorized', 'uncategorized');
INSERT INTO wp_5_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1, 1, 'category', '', 0, 1);
INSERT INTO wp_5_term_relationships (object_id, term_taxonomy_id) VALUES (1, 1);

-- Blog 6: Hush
--: create blog 6
INSERT INTO wp_6_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://example.test/hush', 'on'),
  ('home', 'https://example.test/hush', 'on'),
  ('blogname', 'Hush', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('category_base', '', 'on'),
  ('tag_base', '', 'on'),
  ('show_on_front', 'posts', 'on'),
  ('page_on_front', '0', 'on'),
  ('page_for_posts', '0', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '0', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '1', 'on'),
  ('active_plugins', 'a:0:{}', 'on');
INSERT INTO wp_6_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_name, post_title, post_content) VALUES
  (1, 1, '2024-09-01 14:00:00', '2024-09-01 14:00:00', '2024-09-01 14:00:00', '2024-09-01 14:00:00', 'post', 'hush-post', 'Hush post', '<img src="https://example.test/hush/wp-content/uploads/sites/6/2024/09/a.jpg">');
INSERT INTO wp_6_terms (term_id, name, slug) VALUES (1, 'Uncategorized', 'uncategorized');
INSERT INTO wp_6_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1, 1, 'category', '', 0, 1);
INSERT INTO wp_6_term_relationships (object_id, term_taxonomy_id) VALUES (1, 1);

-- Blog 7: Junk
--: create blog 7
INSERT INTO wp_7_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://example.test/junk', 'on'),
  ('home', 'https://example.test/junk', 'on'),
  ('blogname', 'Junk', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('category_base', '', 'on'),
  ('tag_base', '', 'on'),
  ('show_on_front', 'posts', 'on'),
  ('page_on_front', '0', 'on'),
  ('page_for_posts', '0', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '0', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '1', 'on'),
  ('active_plugins', 'a:0:{}', 'on');
INSERT INTO wp_7_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_type, post_name, post_title, post_content) VALUES
  (1, 1, '2024-09-01 15:00:00', '2024-09-01 15:00:00', '2024-09-01 15:00:00', '2024-09-01 15:00:00', 'post', 'junk-post', 'Junk post', '<img src="https://example.test/junk/wp-content/uploads/sites/7/2024/09/a.jpg">');
INSERT INTO wp_7_terms (term_id, name, slug) VALUES (1, 'Uncategorized', 'uncategorized');
INSERT INTO wp_7_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1, 1, 'category', '', 0, 1);
INSERT INTO wp_7_term_relationships (object_id, term_taxonomy_id) VALUES (1, 1);

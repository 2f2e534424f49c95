-- Over small. The posts, pages and terms of small-polylang with WPML: in the directory, the default
-- language (en) without a code. WPML keeps the term_taxonomy_id of terms. Spanish is not active.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'hello', 'hello', 0, '', ''),
  (1002, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'publish', 'post', 'bonjour', 'bonjour', 0, '', ''),
  (1003, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-01-03 11:00:00', '2024-01-03 10:00:00', 'publish', 'post', 'hallo', 'hallo', 0, '', ''),
  (1004, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-01-04 11:00:00', '2024-01-04 10:00:00', 'publish', 'post', 'only-english', 'only-english', 0, '', ''),
  (1005, 1001, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-01-05 11:00:00', '2024-01-05 10:00:00', 'publish', 'post', 'nameless', 'nameless', 0, '', ''),
  (1006, 1001, '2024-01-06 11:00:00', '2024-01-06 10:00:00', '2024-01-06 11:00:00', '2024-01-06 10:00:00', 'publish', 'post', 'cote-francais', 'cote-francais', 0, '', ''),
  (1007, 1001, '2024-01-07 11:00:00', '2024-01-07 10:00:00', '2024-01-07 11:00:00', '2024-01-07 10:00:00', 'publish', 'post', 'english-side', 'english-side', 0, '', ''),
  (1008, 1001, '2024-01-08 11:00:00', '2024-01-08 10:00:00', '2024-01-08 11:00:00', '2024-01-08 10:00:00', 'draft', 'post', 'entwurf', 'entwurf', 0, '', ''),
  (1011, 1001, '2024-01-11 11:00:00', '2024-01-11 10:00:00', '2024-01-11 11:00:00', '2024-01-11 10:00:00', 'publish', 'page', 'about', 'about', 0, '', ''),
  (1012, 1001, '2024-01-12 11:00:00', '2024-01-12 10:00:00', '2024-01-12 11:00:00', '2024-01-12 10:00:00', 'publish', 'page', 'a-propos', 'a-propos', 0, '', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1006, '_yoast_wpseo_meta-robots-noindex', '1');
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'News', 'news'),
  (1022, 'Actualités', 'actualites'),
  (1023, 'Misc', 'misc');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 3),
  (2022, 1022, 'category', '', 0, 1),
  (2023, 1023, 'category', '', 0, 1);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES
  (1001, 2021), (1004, 2021), (1007, 2021), (1002, 2022), (1005, 2023);
CREATE TABLE wp_icl_languages (id int NOT NULL PRIMARY KEY, code varchar(7) NOT NULL, english_name varchar(128) NOT NULL, major int NOT NULL DEFAULT 0, active int NOT NULL, default_locale varchar(35) DEFAULT NULL, tag varchar(35) DEFAULT NULL, encode_url int NOT NULL DEFAULT 0);
CREATE TABLE wp_icl_translations (translation_id bigint NOT NULL PRIMARY KEY, element_type varchar(36) NOT NULL DEFAULT 'post_post', element_id bigint DEFAULT NULL, trid bigint NOT NULL, language_code varchar(7) NOT NULL, source_language_code varchar(7) DEFAULT NULL);
CREATE UNIQUE INDEX el_type_id ON wp_icl_translations (element_type, element_id);
CREATE UNIQUE INDEX trid_lang ON wp_icl_translations (trid, language_code);
INSERT INTO wp_icl_languages (id, code, english_name, major, active, default_locale, tag) VALUES
  (1, 'en', 'English', 1, 1, 'en_US', 'en'),
  (2, 'es', 'Spanish', 1, 0, 'es_ES', 'es'),
  (3, 'de', 'German', 1, 1, 'de_DE', 'de'),
  (4, 'fr', 'French', 1, 1, 'fr_FR', 'fr');
INSERT INTO wp_icl_translations (translation_id, element_type, element_id, trid, language_code, source_language_code) VALUES
  (1, 'post_post', 1001, 1, 'en', NULL),
  (2, 'post_post', 1002, 1, 'fr', 'en'),
  (3, 'post_post', 1003, 1, 'de', 'en'),
  (4, 'post_post', 1004, 2, 'en', NULL),
  (5, 'post_post', 1008, 2, 'de', 'en'),
  (6, 'post_post', 1006, 3, 'fr', NULL),
  (7, 'post_post', 1007, 3, 'en', 'fr'),
  (8, 'post_page', 1011, 4, 'en', NULL),
  (9, 'post_page', 1012, 4, 'fr', 'en'),
  (10, 'tax_category', 2021, 5, 'en', NULL),
  (11, 'tax_category', 2022, 5, 'fr', 'en'),
  (12, 'post_nav_menu_item', 1001001, 6, 'en', NULL);
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('active_plugins', 'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:40:"sitepress-multilingual-cms/sitepress.php";}', 'on'),
  ('icl_sitepress_settings', 'a:5:{s:16:"default_language";s:2:"en";s:25:"language_negotiation_type";i:1;s:4:"urls";a:1:{s:30:"directory_for_default_language";i:0;}s:24:"custom_posts_sync_option";a:3:{s:4:"post";i:1;s:4:"page";i:1;s:10:"attachment";i:0;}s:22:"taxonomies_sync_option";a:2:{s:8:"category";i:1;s:8:"post_tag";i:1;}}', 'on');

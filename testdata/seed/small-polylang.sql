-- Over small. Three languages with Polylang: in the directory, the default one (en) without a code.
-- 1001 to 1003 are one post in three languages. 1004 has a draft for a translation, 1007 a
-- noindexed one; 1005 has no language, and category 1023 neither.
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
INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES
  (1031, 'English', 'en', 0),
  (1032, 'Français', 'fr', 1),
  (1033, 'Deutsch', 'de', 2);
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'News', 'news'),
  (1022, 'Actualités', 'actualites'),
  (1023, 'Misc', 'misc'),
  (1034, 'English', 'pll_en'),
  (1035, 'Français', 'pll_fr'),
  (1036, 'Deutsch', 'pll_de'),
  (1041, 'pll_1', 'pll_1'),
  (1042, 'pll_2', 'pll_2'),
  (1043, 'pll_3', 'pll_3'),
  (1044, 'pll_4', 'pll_4'),
  (1045, 'pll_5', 'pll_5');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 3),
  (2022, 1022, 'category', '', 0, 1),
  (2023, 1023, 'category', '', 0, 1),
  (2031, 1031, 'language', 'a:3:{s:6:"locale";s:5:"en_US";s:3:"rtl";b:0;s:9:"flag_code";s:0:"";}', 0, 4),
  (2032, 1032, 'language', 'a:3:{s:6:"locale";s:5:"fr_FR";s:3:"rtl";b:0;s:9:"flag_code";s:0:"";}', 0, 3),
  (2033, 1033, 'language', 'a:3:{s:6:"locale";s:12:"de_DE_formal";s:3:"rtl";b:0;s:9:"flag_code";s:0:"";}', 0, 1),
  (2034, 1034, 'term_language', '', 0, 1),
  (2035, 1035, 'term_language', '', 0, 1),
  (2036, 1036, 'term_language', '', 0, 0),
  (2041, 1041, 'post_translations', 'a:3:{s:2:"en";i:1001;s:2:"fr";i:1002;s:2:"de";i:1003;}', 0, 3),
  (2042, 1042, 'post_translations', 'a:2:{s:2:"en";i:1004;s:2:"de";i:1008;}', 0, 2),
  (2043, 1043, 'post_translations', 'a:2:{s:2:"fr";i:1006;s:2:"en";i:1007;}', 0, 2),
  (2044, 1044, 'post_translations', 'a:2:{s:2:"en";i:1011;s:2:"fr";i:1012;}', 0, 2),
  (2045, 1045, 'term_translations', 'a:2:{s:2:"en";i:1021;s:2:"fr";i:1022;}', 0, 2);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES
  (1001, 2021), (1004, 2021), (1007, 2021), (1002, 2022), (1005, 2023),
  (1001, 2031), (1004, 2031), (1007, 2031), (1011, 2031),
  (1002, 2032), (1006, 2032), (1012, 2032),
  (1003, 2033), (1008, 2033),
  (1021, 2034), (1022, 2035),
  (1001, 2041), (1002, 2041), (1003, 2041),
  (1004, 2042), (1008, 2042),
  (1006, 2043), (1007, 2043),
  (1011, 2044), (1012, 2044),
  (1021, 2045), (1022, 2045);
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('active_plugins', 'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:21:"polylang/polylang.php";}', 'on'),
  ('polylang', 'a:9:{s:12:"hide_default";b:1;s:7:"rewrite";b:1;s:13:"redirect_lang";b:0;s:10:"force_lang";i:1;s:7:"domains";a:0:{}s:13:"media_support";b:0;s:10:"post_types";a:0:{}s:10:"taxonomies";a:0:{}s:12:"default_lang";s:2:"en";}', 'on');

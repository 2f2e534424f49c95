-- Over small. News as of 2024-04-01 12:00:00 UTC: summer time begins within the 48 hours. The
-- titles say which row is there for which rule; sponsored is excluded for posts only, below for
-- nothing. The index table holds what Yoast would have written, and what it would leave in it.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('active_plugins', 'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:25:"wpseo-news/wpseo-news.php";}', 'on'),
  ('wpseo_news', 'a:4:{s:17:"news_sitemap_name";s:26:"The Quay &amp; <b>Pier</b>";s:12:"news_version";s:4:"13.2";s:31:"news_sitemap_include_post_types";a:3:{s:4:"post";s:2:"on";s:6:"report";s:2:"on";s:4:"page";s:3:"off";}s:26:"news_sitemap_exclude_terms";a:4:{s:13:"1021_for_post";s:2:"on";s:15:"1022_for_report";s:2:"on";s:13:"1023_for_post";s:3:"off";s:13:"1024_for_gone";s:2:"on";}}', 'on'),
  ('timezone_string', 'Europe/Amsterdam', 'on'),
  ('WPLANG', 'zh_HK', 'on');
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-04-01 13:59:59', '2024-04-01 11:59:59', '2024-04-01 13:59:59', '2024-04-01 11:59:59', 'publish', 'post', 'first', 'Fish &amp; <em>chips</em>: &#8220;fresh&#8221; ]]> 🚢', 0, '', '<img class="wp-image-1052" src="/wp-content/uploads/2024/04/b-300x200.jpg">'),
  (1002, 1001, '2024-03-30 13:00:00', '2024-03-30 12:00:00', '2024-03-30 13:00:00', '2024-03-30 12:00:00', 'publish', 'post', 'edge', 'Exactly 48 hours ago, in winter time', 0, '', ''),
  (1003, 1001, '2024-03-30 12:59:59', '2024-03-30 11:59:59', '2024-03-30 12:59:59', '2024-03-30 11:59:59', 'publish', 'post', 'late', 'One second too old', 0, '', ''),
  (1004, 1001, '2023-05-01 12:00:00', '2023-05-01 10:00:00', '2024-03-30 13:00:00', '2024-03-30 12:00:00', 'publish', 'post', 'revised', 'Old, and changed exactly 48 hours ago', 0, '', ''),
  (1005, 1001, '2024-04-01 12:00:00', '2024-04-01 10:00:00', '2024-04-01 12:00:00', '2024-04-01 10:00:00', 'publish', 'post', 'noindex', 'Noindexed', 0, '', ''),
  (1006, 1001, '2024-04-01 11:00:00', '2024-04-01 09:00:00', '2024-04-01 11:00:00', '2024-04-01 09:00:00', 'publish', 'post', 'elsewhere', 'Canonical elsewhere', 0, '', ''),
  (1007, 1001, '2024-04-01 10:00:00', '2024-04-01 08:00:00', '2024-04-01 10:00:00', '2024-04-01 08:00:00', 'publish', 'post', 'locked', 'Locked', 0, 'sesame', ''),
  (1008, 1001, '2024-04-01 09:00:00', '2024-04-01 07:00:00', '2024-04-01 09:00:00', '2024-04-01 07:00:00', 'publish', 'post', 'marked', 'Kept out by its own mark', 0, '', ''),
  (1009, 1001, '2024-04-01 08:00:00', '2024-04-01 06:00:00', '2024-04-01 08:00:00', '2024-04-01 06:00:00', 'publish', 'post', 'marked-empty', 'Kept out by an empty mark', 0, '', ''),
  (1010, 1001, '2024-04-01 07:00:00', '2024-04-01 05:00:00', '2024-04-01 13:00:00', '2024-04-01 11:00:00', 'publish', 'post', 'marked-0', 'A mark of 0 does nothing', 0, '', ''),
  (1031, 1001, '2024-04-01 06:00:00', '2024-04-01 04:00:00', '2024-04-01 06:00:00', '2024-04-01 04:00:00', 'publish', 'post', 'sponsored', 'Of an excluded term', 0, '', ''),
  (1032, 1001, '2024-04-01 05:00:00', '2024-04-01 03:00:00', '2024-04-01 05:00:00', '2024-04-01 03:00:00', 'publish', 'report', 'of-another-type', 'The term is excluded for posts only', 0, '', ''),
  (1033, 1001, '2024-04-01 04:00:00', '2024-04-01 02:00:00', '2024-04-01 04:00:00', '2024-04-01 02:00:00', 'publish', 'report', 'below', 'Below an excluded term', 0, '', ''),
  (1034, 1001, '2024-04-01 03:00:00', '2024-04-01 01:00:00', '2024-04-01 03:00:00', '2024-04-01 01:00:00', 'publish', 'post', 'untitled', '<i> </i>', 0, '', ''),
  (1035, 1001, '2023-05-01 12:00:00', '2023-05-01 10:00:00', '2199-01-01 01:00:00', '2199-01-01 00:00:00', 'publish', 'post', 'to-come', 'Changed in 2199', 0, '', ''),
  (1036, 1001, '2024-04-01 02:00:00', '2024-04-01 00:00:00', '2024-04-01 02:00:00', '2024-04-01 00:00:00', 'draft', 'post', 'draft', 'Draft', 0, '', ''),
  (1037, 1001, '2024-04-02 02:00:00', '2024-04-02 00:00:00', '2024-04-02 02:00:00', '2024-04-02 00:00:00', 'future', 'post', 'scheduled', 'Scheduled', 0, '', ''),
  (1038, 1001, '2024-04-01 01:00:00', '2024-03-31 23:00:00', '2024-04-01 01:00:00', '2024-03-31 23:00:00', 'private', 'post', 'private', 'Private', 0, '', ''),
  (1039, 1001, '2024-03-31 03:00:00', '2024-03-31 01:00:00', '2024-03-31 03:00:00', '2024-03-31 01:00:00', 'publish', 'post', 'summer', 'The first second of summer time', 0, '', ''),
  (1040, 1001, '2024-03-31 01:59:59', '2024-03-31 00:59:59', '2024-03-31 01:59:59', '2024-03-31 00:59:59', 'publish', 'post', 'winter', 'The last second of winter time', 0, '', ''),
  (1041, 1001, '2024-03-30 20:00:00', '0000-00-00 00:00:00', '2024-03-30 20:00:00', '2024-03-30 19:00:00', 'publish', 'post', 'imported', 'Published at no time in UTC', 0, '', ''),
  (1042, 1001, '2024-04-01 00:00:00', '2024-03-31 22:00:00', '2024-04-01 00:00:00', '2024-03-31 22:00:00', 'publish', 'post', 'not-indexed', 'Not in the index table', 0, '', ''),
  (1011, 1001, '2024-04-01 13:58:00', '2024-04-01 11:58:00', '2024-04-01 13:58:00', '2024-04-01 11:58:00', 'publish', 'page', 'page', 'A page is no news', 0, '', '');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_excerpt, post_parent, post_mime_type, post_content) VALUES
  (1051, 1001, '2024-04-01 10:00:00', '2024-04-01 08:00:00', '2024-04-01 10:00:00', '2024-04-01 08:00:00', 'inherit', 'attachment', 'a', 'The pier', '', 1001, 'image/jpeg', ''),
  (1052, 1001, '2024-04-01 10:00:00', '2024-04-01 08:00:00', '2024-04-01 10:00:00', '2024-04-01 08:00:00', 'inherit', 'attachment', 'b', 'IMG_0002', 'Fish &amp; chips', 1001, 'image/jpeg', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1051, '_wp_attached_file', '2024/04/a.jpg'),
  (1052, '_wp_attached_file', '2024/04/b.jpg'),
  (1001, '_thumbnail_id', '1051'),
  (1001, '_yoast_wpseo_newssitemap-stocktickers', 'NASDAQ:AMAT, nonsense ,NYSE:BRK.B'),
  (1002, '_yoast_wpseo_newssitemap-stocktickers', '0'),
  (1010, '_yoast_wpseo_newssitemap-stocktickers', ''),
  (1032, '_yoast_wpseo_newssitemap-stocktickers', 'A:B, C:D, E:F, G:H, I:J, K:L'),
  (1032, '_yoast_wpseo_newssitemap-stocktickers', 'A:B, C:D, E:F, G:H, I:J, K:L'),
  (1033, '_yoast_wpseo_newssitemap-stocktickers', 'LSE:ONE'),
  (1033, '_yoast_wpseo_newssitemap-stocktickers', 'LSE:TWO'),
  (1005, '_yoast_wpseo_meta-robots-noindex', '1'),
  (1006, '_yoast_wpseo_canonical', 'https://elsewhere.test/'),
  (1008, '_yoast_wpseo_newssitemap-robots-index', '1'),
  (1009, '_yoast_wpseo_newssitemap-robots-index', ''),
  (1010, '_yoast_wpseo_newssitemap-robots-index', '0'),
  (1010, '_yoast_wpseo_newssitemap-exclude', 'on');
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'Sponsored', 'sponsored'),
  (1022, 'Annual', 'annual'),
  (1023, 'Quarterly', 'quarterly');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 1),
  (2022, 1022, 'category', '', 0, 0),
  (2023, 1023, 'category', '', 1022, 2);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1031, 2021), (1032, 2021), (1033, 2023), (1001, 2023);
INSERT INTO wp_yoast_indexable (id, object_id, object_type, object_sub_type, post_status, permalink, breadcrumb_title, is_robots_noindex, object_published_at) VALUES
  (3001, 1040, 'post', 'post', 'publish', 'https://small.test/winter/', 'The last second of winter time', NULL, '2024-03-31 00:59:59'),
  (3002, 1039, 'post', 'post', 'publish', 'https://small.test/summer/', 'The first second of summer time', 0, '2024-03-31 01:00:00'),
  (3003, 1038, 'post', 'post', 'private', 'https://small.test/private/', 'Private', NULL, '2024-03-31 23:00:00'),
  (3004, 1037, 'post', 'post', 'future', 'https://small.test/scheduled/', 'Scheduled', 0, '2024-04-02 00:00:00'),
  (3005, 1036, 'post', 'post', 'draft', 'https://small.test/draft/', 'Draft', NULL, '2024-04-01 00:00:00'),
  (3006, 1035, 'post', 'post', 'publish', 'https://small.test/to-come/', 'Changed in 2199', 0, '2023-05-01 10:00:00'),
  (3007, 1034, 'post', 'post', 'publish', 'https://small.test/untitled/', NULL, NULL, '2024-04-01 01:00:00'),
  (3008, 1033, 'post', 'report', 'publish', 'https://small.test/report/below/', 'Below an excluded term', 0, '2024-04-01 02:00:00'),
  (3009, 1032, 'post', 'report', 'publish', 'https://small.test/report/of-another-type/', 'The term is excluded for posts only', NULL, '2024-04-01 03:00:00'),
  (3010, 1031, 'post', 'post', 'publish', 'https://small.test/sponsored/', 'Of an excluded term', 0, '2024-04-01 04:00:00'),
  (3011, 1011, 'post', 'page', 'publish', 'https://small.test/page/', 'A page is no news', 0, '2024-04-01 11:58:00'),
  (3012, 1010, 'post', 'post', 'publish', NULL, 'A mark of 0 does nothing', NULL, '2024-04-01 05:00:00'),
  (3013, 1009, 'post', 'post', 'publish', 'https://small.test/marked-empty/', 'Kept out by an empty mark', 0, '2024-04-01 06:00:00'),
  (3014, 1008, 'post', 'post', 'publish', 'https://small.test/marked/', 'Kept out by its own mark', NULL, '2024-04-01 07:00:00'),
  (3015, 1007, 'post', 'post', 'publish', 'https://small.test/locked/', 'Protected: Locked', 0, '2024-04-01 08:00:00'),
  (3016, 1006, 'post', 'post', 'publish', 'https://small.test/elsewhere/', 'Canonical elsewhere', NULL, '2024-04-01 09:00:00'),
  (3017, 1005, 'post', 'post', 'publish', 'https://small.test/noindex/', 'Noindexed', 1, '2024-04-01 10:00:00'),
  (3018, 1004, 'post', 'post', 'publish', 'https://small.test/revised/', 'Old, and changed exactly 48 hours ago', NULL, '2023-05-01 10:00:00'),
  (3019, 1003, 'post', 'post', 'publish', 'https://small.test/late/', 'One second too old', 0, '2024-03-30 11:59:59'),
  (3020, 1002, 'post', 'post', 'publish', 'https://small.test/edge/', 'Exactly 48 hours ago, in winter time', NULL, '2024-03-30 12:00:00'),
  (3021, 1001, 'post', 'post', 'publish', 'https://small.test/first/', 'Fish &amp; chips: &#8220;fresh&#8221; ]]&gt; 🚢', 0, '2024-04-01 11:59:59'),
  (3022, 1099, 'post', 'post', 'publish', 'https://small.test/?p=1099&lang=nl&amp;x', 'A post that is gone, at the time of another', NULL, '2024-04-01 11:59:59'),
  (3023, 1021, 'term', 'category', 'publish', 'https://small.test/category/sponsored/', 'Sponsored', NULL, '2024-04-01 11:59:59');

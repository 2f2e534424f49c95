-- A site with nothing in it, for the seeds named small-…, each of which is about one rule.
-- What was there is removed first. Their ids begin at 1001: posts, 1011: pages, 1021: terms,
-- 1051: attachments, 1001: users; a term_taxonomy_id is the term_id + 1000. Summer time plays no part.
DELETE FROM wp_options;
DELETE FROM wp_users;
DELETE FROM wp_usermeta;
DELETE FROM wp_posts;
DELETE FROM wp_postmeta;
DELETE FROM wp_terms;
DELETE FROM wp_term_taxonomy;
DELETE FROM wp_term_relationships;
DELETE FROM wp_yoast_indexable;
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'https://small.test', 'on'),
  ('home', 'https://small.test', 'on'),
  ('blogname', 'Small', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('blog_public', '1', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('show_on_front', 'posts', 'on'),
  ('page_on_front', '0', 'on'),
  ('page_for_posts', '0', 'on'),
  ('upload_path', '', 'on'),
  ('upload_url_path', '', 'on'),
  ('default_category', '1', 'on'),
  ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}', 'on'),
  ('wpseo', 'a:1:{s:18:"enable_xml_sitemap";b:1;}', 'on');

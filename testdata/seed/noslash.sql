-- Over basic: no slash at the end, WordPress in a directory of its own, home in another.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('permalink_structure', '/archives/%post_id%', 'on'),
  ('home', 'https://example.test/shore', 'on'),
  ('siteurl', 'https://example.test/shore/wp', 'on');

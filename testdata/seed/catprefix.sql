-- Over basic: the category in the permalink, bases of the site's own.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('permalink_structure', '/%category%/%postname%/', 'on'),
  ('category_base', '/topics', 'on'),
  ('tag_base', 'label', 'on');

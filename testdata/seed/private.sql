-- Over basic: search engines are discouraged.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('blog_public', '0', 'on');

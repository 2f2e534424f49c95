-- Over basic: every other permalink token.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('permalink_structure', '/%author%/%post_id%/%hour%%minute%%second%/', 'on'),
  ('timezone_string', 'Asia/Kolkata', 'on');

-- Over basic: dated permalinks, half an hour of offset without a zone name.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('permalink_structure', '/%year%/%monthnum%/%day%/%postname%/', 'on'),
  ('timezone_string', '', 'on'),
  ('gmt_offset', '5.5', 'on');

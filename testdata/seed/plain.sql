-- Over basic: no permalinks at all.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('permalink_structure', '', 'on');
DELETE FROM wp_options WHERE option_name = 'rewrite_rules';

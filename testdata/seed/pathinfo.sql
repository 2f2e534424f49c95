-- Over basic: permalinks for servers that rewrite nothing.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('permalink_structure', '/index.php/%postname%/', 'on');

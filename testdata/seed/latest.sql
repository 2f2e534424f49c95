-- Over basic: the latest posts on the front page; the pages chosen before are still noted.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('show_on_front', 'posts', 'on');

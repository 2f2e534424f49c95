-- Over basic: category links without their base.
UPDATE wp_options SET option_value = REPLACE(option_value, 's:17:"stripcategorybase";b:0;', 's:17:"stripcategorybase";b:1;') WHERE option_name = 'wpseo_titles';

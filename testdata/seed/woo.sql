-- Over basic: WooCommerce, with the category in the product's address.
--: create woocommerce
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('active_plugins', 'a:2:{i:0;s:27:"woocommerce/woocommerce.php";i:1;s:24:"wordpress-seo/wp-seo.php";}', 'on'),
  ('woocommerce_permalinks', 'a:5:{s:12:"product_base";s:20:"/store/%product_cat%";s:13:"category_base";s:5:"aisle";s:8:"tag_base";s:5:"label";s:14:"attribute_base";s:4:"spec";s:22:"use_verbose_page_rules";b:1;}', 'on'),
  ('woocommerce_shop_page_id', '300', 'on'),
  ('woocommerce_version', '9.9.5', 'on'),
  ('current_theme_supports_woocommerce', 'yes', 'on'),
  ('woocommerce_prepend_shop_page_to_urls', 'no', 'on'),
  ('woocommerce_brand_permalink', 'house', 'on'),
  ('product_cat_children', 'a:1:{i:50;a:1:{i:0;i:51;}}', 'on');

-- colour has archives, size has none.
INSERT INTO wp_woocommerce_attribute_taxonomies (attribute_id, attribute_name, attribute_label, attribute_type, attribute_orderby, attribute_public) VALUES
  (1, 'colour', 'Colour', 'select', 'menu_order', 1),
  (2, 'size', 'Size', 'select', 'menu_order', 0);

-- 300 is the shop page; 303 has no category, 304 is a variation of 301.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_content) VALUES
  (300, 2, '2024-08-21 12:00:00', '2024-08-21 10:00:00', '2024-08-21 12:00:00', '2024-08-21 10:00:00', 'publish', 'page', 'store', 'Store', 0, 'Text.'),
  (301, 2, '2024-08-22 12:00:00', '2024-08-22 10:00:00', '2024-08-22 12:00:00', '2024-08-22 10:00:00', 'publish', 'product', 'rope', 'Rope', 0, 'Text.'),
  (302, 2, '2024-08-23 12:00:00', '2024-08-23 10:00:00', '2024-08-23 12:00:00', '2024-08-23 10:00:00', 'publish', 'product', 'lantern', 'Lantern', 0, 'Text.'),
  (303, 2, '2024-08-24 12:00:00', '2024-08-24 10:00:00', '2024-08-24 12:00:00', '2024-08-24 10:00:00', 'publish', 'product', 'mystery-box', 'Mystery box', 0, 'Text.'),
  (304, 2, '2024-08-25 12:00:00', '2024-08-25 10:00:00', '2024-08-25 12:00:00', '2024-08-25 10:00:00', 'publish', 'product_variation', 'rope-red', 'Rope red', 301, 'Text.'),
  (305, 2, '2024-08-26 12:00:00', '2024-08-26 10:00:00', '2024-08-26 12:00:00', '2024-08-26 10:00:00', 'private', 'product', 'sold-privately', 'Sold privately', 0, 'Text.'),
  (306, 2, '2024-08-27 12:00:00', '2024-08-27 10:00:00', '2024-08-27 12:00:00', '2024-08-27 10:00:00', 'wc-completed', 'shop_order', 'order-1', 'Order 1', 0, 'Text.'),
  (307, 2, '2024-08-28 12:00:00', '2024-08-28 10:00:00', '2024-08-28 12:00:00', '2024-08-28 10:00:00', 'publish', 'shop_coupon', 'ten-percent', 'Ten percent', 0, 'Text.');

INSERT INTO wp_terms (term_id, name, slug) VALUES
  (50, 'Deck', 'deck'),
  (51, 'Lines', 'lines'),
  (52, 'Light', 'light'),
  (53, 'Hemp', 'hemp'),
  (54, 'Red', 'red'),
  (55, 'Small', 'small'),
  (56, 'Knotty', 'knotty'),
  (57, 'simple', 'simple'),
  (58, 'featured', 'featured'),
  (59, 'Bulky', 'bulky');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (1050, 50, 'product_cat', '', 0, 0),
  (1051, 51, 'product_cat', '', 50, 1),
  (1052, 52, 'product_cat', '', 0, 1),
  (1053, 53, 'product_tag', '', 0, 1),
  (1054, 54, 'pa_colour', '', 0, 1),
  (1055, 55, 'pa_size', '', 0, 1),
  (1056, 56, 'product_brand', '', 0, 1),
  (1057, 57, 'product_type', '', 0, 3),
  (1058, 58, 'product_visibility', '', 0, 1),
  (1059, 59, 'product_shipping_class', '', 0, 1);

INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES
  (301, 1051),
  (301, 1053),
  (301, 1054),
  (301, 1055),
  (301, 1056),
  (301, 1057),
  (302, 1052),
  (302, 1057),
  (302, 1058),
  (302, 1059),
  (303, 1057);

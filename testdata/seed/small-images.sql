-- Over small. Images once each, and attachments with their own file: a is featured, in the
-- text and in the gallery, b twice in the text. b hangs below nothing, bin is in the trash.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'pictures', 'Pictures', 0, '', '<img class="wp-image-1051" src="/wp-content/uploads/2024/01/a-300x200.jpg"><img class="wp-image-1052" src="/wp-content/uploads/2024/01/b-300x200.jpg"><img src="/wp-content/uploads/2024/01/b.jpg"><img src="https://small.test/wp-content/uploads/2024/01/b.jpg?v=2">[gallery ids="1052,1051"][gallery]');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_excerpt, post_parent, post_mime_type, post_content) VALUES
  (1051, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'a', 'A', '', 1001, 'image/jpeg', ''),
  (1052, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'b', 'B', '', 0, 'image/jpeg', ''),
  (1053, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'paper', 'Paper', '', 1001, 'application/pdf', ''),
  (1054, 1001, '2024-12-31 11:00:00', '2024-12-31 10:00:00', '2024-12-31 11:00:00', '2024-12-31 10:00:00', 'trash', 'attachment', 'bin__trashed', 'Bin', '', 1001, 'image/jpeg', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1001, '_thumbnail_id', '1051'),
  (1051, '_wp_attached_file', '2024/01/a.jpg'),
  (1052, '_wp_attached_file', '2024/01/b.jpg'),
  (1053, '_wp_attached_file', '2024/01/paper.pdf'),
  (1054, '_wp_attached_file', '2024/01/bin.jpg');
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('wpseo_titles', 'a:1:{s:18:"disable-attachment";b:0;}', 'on');

-- Over small. Titles of images: the caption, else the title, as plain text; none for an image
-- that is not from the media library, nor for an attachment with neither.
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', 'publish', 'post', 'pictures', 'Pictures', 0, '', '<img class="wp-image-1051" src="https://small.test/wp-content/uploads/2024/01/a-300x200.jpg"><img class="wp-image-1052" src="/wp-content/uploads/2024/01/b.jpg"><img class="wp-image-1053" src="/wp-content/uploads/2024/01/c.jpg"><img src="/loose.jpg">[gallery ids="1055"]');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_excerpt, post_parent, post_mime_type, post_content) VALUES
  (1051, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'a', 'IMG_0001', 'Harbour at dawn', 0, 'image/jpeg', ''),
  (1052, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'b', 'The old pier', '', 0, 'image/jpeg', ''),
  (1053, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'c', '', '  ', 0, 'image/jpeg', ''),
  (1054, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'd', 'IMG_0004', '<strong>Fish &amp; chips</strong> by
<a href="/ann/" title="a > b">Ann</a>, &#8220;fresh&#8221;', 0, 'image/jpeg', ''),
  (1055, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'e', '5 < 6', '', 0, 'image/jpeg', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1001, '_thumbnail_id', '1054'),
  (1051, '_wp_attached_file', '2024/01/a.jpg'),
  (1052, '_wp_attached_file', '2024/01/b.jpg'),
  (1053, '_wp_attached_file', '2024/01/c.jpg'),
  (1054, '_wp_attached_file', '2024/01/d.jpg'),
  (1055, '_wp_attached_file', '2024/01/e.jpg');

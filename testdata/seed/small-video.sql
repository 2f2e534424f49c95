-- Over small. Videos: a record, each way a video can stand in the content, what an editor can choose, and a
-- record that holds everything it should not. The names of the posts say which rule each is there for. Only posts,
-- pages and categories are included.
REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
  ('active_plugins', 'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:25:"wpseo-video/video-seo.php";}', 'on'),
  ('blogname', 'Small &amp; wet', 'on'),
  ('timezone_string', 'Europe/Amsterdam', 'on'),
  ('wpseo_video', 'a:3:{s:19:"video_cloak_sitemap";b:0;s:22:"videositemap_posttypes";a:2:{s:4:"post";s:4:"post";s:4:"page";s:4:"page";}s:23:"videositemap_taxonomies";a:1:{s:8:"category";s:8:"category";}}', 'on'),
  ('wpseo_taxonomy_meta', 'a:1:{s:8:"category";a:1:{s:6:"_video";a:3:{i:1021;a:6:{s:5:"title";s:7:"Trailer";s:11:"description";s:15:"What is to come";s:10:"player_loc";s:33:"https://player.vimeo.com/video/77";s:13:"thumbnail_loc";s:25:"https://small.test/77.jpg";s:8:"duration";i:61;s:16:"publication_date";s:25:"2024-02-03T04:05:06+00:00";}i:1022;a:4:{s:5:"title";s:16:"Of an empty term";s:10:"player_loc";s:20:"https://small.test/x";s:13:"thumbnail_loc";s:24:"https://small.test/x.jpg";s:11:"description";s:1:"x";}i:1099;a:3:{s:5:"title";s:10:"Of no term";s:10:"player_loc";s:20:"https://small.test/x";s:13:"thumbnail_loc";s:24:"https://small.test/x.jpg";}}}}', 'on');
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
  (1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann &amp; <i>Bo</i>');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_excerpt, post_parent, post_password, post_content) VALUES
  (1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-02-28 11:00:00', '2024-02-28 10:00:00', 'publish', 'post', 'record', 'Ebb', '', 0, '', 'https://youtu.be/abcdefghij1
<iframe src="https://player.vimeo.com/video/123?h=0a1b"></iframe>'),
  (1002, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-02-27 11:00:00', '2024-02-27 10:00:00', 'publish', 'post', 'embed-block', 'Blocks', '', 0, '', '<!-- wp:embed {"url":"https://www.youtube.com/watch?v=abcdefghij2","type":"video","providerNameSlug":"youtube"} -->
<figure class="wp-block-embed"><div class="wp-block-embed__wrapper">
https://www.youtube.com/watch?v=abcdefghij2
</div><figcaption>High <em>tide</em> &amp; low</figcaption></figure>
<!-- /wp:embed -->'),
  (1003, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-02-26 11:00:00', '2024-02-26 10:00:00', 'publish', 'post', 'video-block', 'Own files', '', 0, '', '<!-- wp:video {"id":1061} -->
<figure class="wp-block-video"><video controls src="https://small.test/wp-content/uploads/2024/01/tide.mp4"></video></figure>
<!-- /wp:video -->'),
  (1004, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-02-25 11:00:00', '2024-02-25 10:00:00', 'publish', 'post', 'video-shortcode', 'Of the library', 'The excerpt', 0, '', '[video width="640" mp4="http://small.test/wp-content/uploads/2024/01/rain%20two.mp4" poster="/poster.jpg"][/video]'),
  (1005, 1001, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-02-24 11:00:00', '2024-02-24 10:00:00', 'publish', 'post', 'playlist', 'Playlist', '', 0, '', '[playlist type="video" ids="1062,1061,1063"]'),
  (1006, 1001, '2024-01-06 11:00:00', '2024-01-06 10:00:00', '2024-02-23 11:00:00', '2024-02-23 10:00:00', 'publish', 'post', 'attached', 'Attached', '', 0, '', '[video]'),
  (1007, 1001, '2024-01-07 11:00:00', '2024-01-07 10:00:00', '2024-02-22 11:00:00', '2024-02-22 10:00:00', 'publish', 'post', 'no-thumbnail', 'Nobody knows a picture', '', 0, '', 'https://vimeo.com/124'),
  (1008, 1001, '2024-01-08 11:00:00', '2024-01-08 10:00:00', '2024-02-21 11:00:00', '2024-02-21 10:00:00', 'publish', 'post', 'featured', 'Featured image', '', 0, '', 'https://vimeo.com/125

[wpvideo AbCdEf01]

<div class="wistia_embed wistia_async_abcdefghi9"></div>'),
  (1009, 1001, '2024-01-09 11:00:00', '2024-01-09 10:00:00', '2024-02-20 11:00:00', '2024-02-20 10:00:00', 'publish', 'post', 'disabled', 'Disabled', '', 0, '', 'https://youtu.be/abcdefghij9'),
  (1010, 1001, '2024-01-10 11:00:00', '2024-01-10 10:00:00', '2024-02-19 11:00:00', '2024-02-19 10:00:00', 'publish', 'post', 'noindex', 'Noindexed', '', 0, '', 'https://youtu.be/abcdefghij8'),
  (1012, 1001, '2024-01-12 11:00:00', '2024-01-12 10:00:00', '2024-02-17 11:00:00', '2024-02-17 10:00:00', 'publish', 'post', 'link', 'A link is no video', '', 0, '', '<a href="https://youtu.be/abcdefghij7">https://youtu.be/abcdefghij7</a>'),
  (1013, 1001, '2024-01-13 11:00:00', '2024-01-13 10:00:00', '2024-02-16 11:00:00', '2024-02-16 10:00:00', 'publish', 'post', 'chosen', 'What the editor chose', '', 0, '', ''),
  (1014, 1001, '2024-01-14 11:00:00', '2024-01-14 10:00:00', '2024-02-15 11:00:00', '2024-02-15 10:00:00', 'publish', 'post', 'hostile', 'Hostile <b>title</b>', '', 0, '', ''),
  (1015, 1001, '2024-01-15 11:00:00', '2024-01-15 10:00:00', '2024-02-14 11:00:00', '2024-02-14 10:00:00', 'publish', 'post', 'locked', 'Locked', '', 0, 'sesame', 'https://youtu.be/abcdefghij6'),
  (1016, 1001, '2024-01-16 11:00:00', '2024-01-16 10:00:00', '2024-02-13 11:00:00', '2024-02-13 10:00:00', 'publish', 'post', 'no-picture', 'Stored without a picture', '', 0, '', ''),
  (1011, 1001, '2024-01-11 11:00:00', '0000-00-00 00:00:00', '2024-02-20 11:00:00', '2024-02-20 10:00:00', 'publish', 'page', 'page', 'A page without a date in UTC', '', 0, '', '<iframe src="https://player.vimeo.com/video/99"></iframe>'),
  (1017, 1001, '2024-01-17 11:00:00', '2024-01-17 10:00:00', '2024-02-20 11:00:00', '2024-02-20 10:00:00', 'publish', 'report', 'report', 'Of a type that is not included', '', 0, '', 'https://youtu.be/abcdefghij5'),
  (1018, 1001, '2024-01-18 11:00:00', '2024-01-18 10:00:00', '2024-02-20 11:00:00', '2024-02-20 10:00:00', 'draft', 'post', 'draft', 'Draft', '', 0, '', 'https://youtu.be/abcdefghij4');
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_excerpt, post_parent, post_mime_type, post_content) VALUES
  (1051, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'tide-jpg', 'tide', '', 1001, 'image/jpeg', ''),
  (1052, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'poster-jpg', 'poster', '', 1061, 'image/jpeg', ''),
  (1061, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'tide-mp4', 'Tide, filmed', '', 1003, 'video/mp4', 'A long description of the tide'),
  (1062, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'rain-mp4', 'Rain', 'Rain &amp; wind', 0, 'video/mp4', ''),
  (1063, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'song', 'Song', '', 1006, 'audio/mpeg', ''),
  (1064, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-01-02 11:00:00', '2024-01-02 10:00:00', 'inherit', 'attachment', 'first', 'First', '', 1006, 'video/webm', '');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1051, '_wp_attached_file', '2024/01/tide.jpg'),
  (1052, '_wp_attached_file', '2024/01/poster.jpg'),
  (1061, '_wp_attached_file', '2024/01/tide.mp4'),
  (1061, '_wp_attachment_metadata', 'a:5:{s:8:"filesize";i:12;s:9:"mime_type";s:9:"video/mp4";s:6:"length";i:75;s:16:"length_formatted";s:4:"1:15";s:5:"width";i:640;}'),
  (1061, '_thumbnail_id', '1052'),
  (1062, '_wp_attached_file', '2024/01/rain two.mp4'),
  (1062, '_wp_attachment_metadata', 'a:1:{s:6:"length";s:1:"8";}'),
  (1063, '_wp_attached_file', '2024/01/song.mp3'),
  (1064, '_wp_attached_file', '2024/01/first.webm'),
  (1064, '_thumbnail_id', '1051'),
  (1001, '_thumbnail_id', '1051'),
  (1008, '_thumbnail_id', '1051'),
  (1011, '_thumbnail_id', '1051'),
  (1008, '_yoast_wpseo_metadesc', 'Three of %%title%%'),
  (1010, '_yoast_wpseo_meta-robots-noindex', '1'),
  (1009, '_yoast_wpseo_videositemap-disable', 'on'),
  (1002, '_yoast_wpseo_video_meta', 'none'),
  (1013, '_yoast_wpseo_videositemap-thumbnail', 'https://small.test/chosen.jpg'),
  (1013, '_yoast_wpseo_videositemap-duration', '90'),
  (1013, '_yoast_wpseo_videositemap-rating', '4.25'),
  (1013, '_yoast_wpseo_videositemap-not-family-friendly', 'on'),
  (1013, '_yoast_wpseo_primary_category', '1023'),
  (1001, '_yoast_wpseo_video_meta', 'a:15:{s:7:"post_id";i:1001;s:5:"title";s:22:"Ebb &amp; flow - Small";s:16:"publication_date";s:25:"2023-12-31T23:00:00+01:00";s:11:"description";s:40:"Filmed on %%sitename%% [gallery ids="1"]";s:4:"type";s:7:"youtube";s:2:"id";s:11:"abcdefghij1";s:3:"url";s:28:"https://youtu.be/abcdefghij1";s:10:"player_loc";s:41:"https://www.youtube.com/embed/abcdefghij1";s:13:"thumbnail_loc";s:36:"/wp-content/uploads/2024/01/tide.jpg";s:5:"width";i:640;s:6:"height";s:3:"390";s:8:"duration";i:185;s:10:"view_count";i:4211;s:12:"last_fetched";i:1;s:3:"tag";a:2:{i:0;s:5:"boats";i:1;s:7:"by hand";}}'),
  (1009, '_yoast_wpseo_video_meta', 'a:3:{s:5:"title";s:8:"Disabled";s:10:"player_loc";s:41:"https://www.youtube.com/embed/abcdefghij9";s:13:"thumbnail_loc";s:24:"https://small.test/9.jpg";}'),
  (1013, '_yoast_wpseo_video_meta', 'a:8:{s:5:"title";s:6:"Chosen";s:11:"description";s:0:"";s:10:"player_loc";s:33:"https://small.test/player?v=1&w=2";s:13:"thumbnail_loc";s:29:"https://small.test/stored.jpg";s:8:"duration";i:1;s:8:"category";s:6:"Stored";s:4:"live";s:2:"no";s:15:"expiration_date";s:10:"2030-01-01";}'),
  (1016, '_yoast_wpseo_video_meta', 'a:3:{s:5:"title";s:10:"No picture";s:10:"player_loc";s:29:"https://small.test/player?v=3";s:11:"description";s:4:"None";}'),
  (1014, '_yoast_wpseo_video_meta', CAST(X'613A32303A7B693A303B733A343A227A65726F223B733A353A227469746C65223B733A36333A22466973682026616D703B616D703B203C623E63686970733C2F623E010B202525736974656E616D6525252025256E6F7468696E672525205D5D3E20F09F9AA2223B733A333A223C783E223B733A363A226D61726B7570223B733A333A22612062223B733A353A22626C616E6B223B733A353A22786D6C6E73223B733A313A2275223B733A383A2275706C6F61646572223B733A353A227477696365223B733A31363A227075626C69636174696F6E5F64617465223B613A313A7B693A303B733A343A2232303234223B7D733A31313A226465736372697074696F6E223B733A39333A22266C743B7363726970742667743B616C657274283129266C743B2F7363726970742667743B3C7363726970743E616C6572742832293C2F7363726970743E6C696E65206F6E650D0A6C696E652074776F20266561637574653B20EFBFBE223B733A31303A22706C617965725F6C6F63223B733A33313A2268747470733A2F2F736D616C6C2E746573742F703F613D3126623D3C323E22223B733A31333A227468756D626E61696C5F6C6F63223B733A32373A2268747470733A2F2F736D616C6C2E746573742F612062022E6A7067223B733A31313A22636F6E74656E745F6C6F63223B733A31393A226A6176617363726970743A616C657274283129223B733A383A226475726174696F6E223B693A39393939393B733A31303A22766965775F636F756E74223B693A2D353B733A363A22726174696E67223B733A323A223131223B733A383A2263617465676F7279223B613A313A7B733A313A2278223B613A313A7B733A313A2279223B733A363A226E6573746564223B7D7D733A333A22746167223B613A373A7B693A303B733A31303A223C693E6F6E653C2F693E223B693A313B613A313A7B693A303B733A343A2264656570223B7D693A323B4F3A383A22737464436C617373223A313A7B733A313A2278223B733A333A223C623E223B7D693A333B733A303A22223B693A343B4E3B693A353B733A393A2225257469746C652525223B693A363B733A343A2274776F07223B7D733A343A226C697665223B733A373A2270657268617073223B733A31353A2265787069726174696F6E5F64617465223B733A343A22736F6F6E223B733A363A226F626A656374223B723A32343B733A31353A2266616D696C795F667269656E646C79223B733A393A226F6620636F75727365223B7D' AS CHAR));
INSERT INTO wp_terms (term_id, name, slug) VALUES
  (1021, 'Trailers', 'trailers'),
  (1022, 'Empty', 'empty'),
  (1023, 'Sea &amp; sky', 'sea'),
  (1024, 'wind', 'wind'),
  (1025, 'boats', 'boats');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
  (2021, 1021, 'category', '', 0, 2),
  (2022, 1022, 'category', '', 0, 0),
  (2023, 1023, 'category', '', 0, 2),
  (2024, 1024, 'post_tag', '', 0, 1),
  (2025, 1025, 'post_tag', '', 0, 1);
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 2021), (1001, 2023), (1001, 2024), (1001, 2025), (1013, 2021), (1013, 2023);

-- The demo site, "The Saltwick Gazette": a town paper of some 300 posts with pages, recipes, a tree of town guides, categories, tags,
-- authors and pictures, and with one of everything that has to stay out of a sitemap. {HOME} stands for its address.

CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 399) SELECT i FROM c;
CREATE TEMP TABLE word (kind TEXT, i INTEGER, w TEXT, PRIMARY KEY (kind, i));
INSERT INTO word SELECT 'adjective', key, value FROM json_each('["quiet","salted","northern","early","patient","crooked","borrowed","golden","narrow","windy","forgotten","second","slow","tidal","honest","painted","wooden","late","warm","stubborn"]');
INSERT INTO word SELECT 'thing', key, value FROM json_each('["harbour","lantern","ferry","kettle","orchard","bridge","lighthouse","market","bakery","rope","garden","bell","station","mill","quay","map","window","boat","river","kitchen"]');
INSERT INTO word SELECT 'place', key, value FROM json_each('["Saltwick","Penmarrow","Oldhithe","Brackenby","Gullscar","Tidewell","Fernholt","Marlow-Quay","Sandrigg","Eastfleet"]');
INSERT INTO word SELECT 'doing', key, value FROM json_each('["opens","closes","sings","waits","returns","moves","sleeps","grows","travels","listens","leans","shines"]');
INSERT INTO word SELECT 'little', key, value FROM json_each('["and","by","near","under","behind","after","before","with","beyond","around"]');

-- Texts: a hundred paragraphs of four sentences each, and of each object one with two pictures.
CREATE TEMP TABLE paragraph AS SELECT n.i / 4 AS i,
  '<!-- wp:paragraph -->' || char(10) || '<p>' || group_concat('The ' || a.w || ' ' || t.w || ' ' || l.w || ' the ' || b.w || ' ' || u.w || ' ' || d.w || '.', ' ')
  || '</p>' || char(10) || '<!-- /wp:paragraph -->' || char(10) || char(10) AS html
FROM n CROSS JOIN word a ON a.kind = 'adjective' AND a.i = (n.i * 7 + n.i / 20) % 20 CROSS JOIN word t ON t.kind = 'thing' AND t.i = (n.i * 3 + n.i / 20) % 20
CROSS JOIN word l ON l.kind = 'little' AND l.i = n.i % 10 CROSS JOIN word b ON b.kind = 'adjective' AND b.i = (n.i * 11 + 3) % 20
CROSS JOIN word u ON u.kind = 'thing' AND u.i = (n.i * 13 + 5) % 20 CROSS JOIN word d ON d.kind = 'doing' AND d.i = n.i % 12 GROUP BY n.i / 4;
CREATE TEMP TABLE picture AS SELECT i, i + 1 AS id, w AS thing, gmt, strftime('%Y/%m/', gmt) || w || '-' || (i + 1) AS file
FROM (SELECT n.i, w, datetime('2021-03-01 07:30:00', '+' || (n.i / 2) || ' months', '+' || (n.i % 27) || ' days') AS gmt
  FROM n CROSS JOIN word ON kind = 'thing' AND word.i = (n.i * 7 + n.i / 20) % 20 WHERE n.i < 80);
CREATE TEMP TABLE block AS SELECT i, '<!-- wp:image {"id":' || id || ',"sizeSlug":"large","linkDestination":"none"} -->' || char(10)
  || '<figure class="wp-block-image size-large"><img src="{HOME}/wp-content/uploads/' || file || '-1024x683.jpg" alt="' || thing || '" class="wp-image-' || id
  || '"/></figure>' || char(10) || '<!-- /wp:image -->' || char(10) || char(10) AS html FROM picture;
CREATE TEMP TABLE text AS SELECT n.i, p.html || b.html || q.html || c.html || r.html AS html FROM n
JOIN paragraph p ON p.i = n.i % 100 JOIN block b ON b.i = n.i * 3 % 80 JOIN paragraph q ON q.i = (n.i * 5 + 1) % 100
JOIN block c ON c.i = (n.i * 7 + 2) % 80 JOIN paragraph r ON r.i = (n.i * 11 + 2) % 100;

-- Everything that is a row of posts.
CREATE TEMP TABLE item (id INTEGER PRIMARY KEY, type TEXT DEFAULT 'post', status TEXT DEFAULT 'publish', author INTEGER DEFAULT 2, parent INTEGER DEFAULT 0,
  position INTEGER DEFAULT 0, title TEXT, slug TEXT, gmt TEXT, modified TEXT, password TEXT DEFAULT '', caption TEXT DEFAULT '', content TEXT);
INSERT INTO item (id, type, status, author, title, slug, gmt, caption, content)
SELECT id, 'attachment', 'inherit', 1 + picture.i % 5, 'The ' || thing || ' at ' || w, thing || '-' || id, gmt,
  CASE WHEN picture.i % 2 = 0 THEN 'Photograph: the ' || thing || ', seen from the quay.' ELSE '' END, ''
FROM picture CROSS JOIN word ON kind = 'place' AND word.i = picture.i * 3 % 10;
INSERT INTO item (id, type, author, parent, title, gmt, modified)
SELECT 81 + key, 'page', 1, value ->> 1, value ->> 0, datetime('2021-03-01 07:30:00', '+' || ((81 + key) % 30) || ' days'),
  datetime('2022-04-01 07:30:00', '+' || (key * 7 % 30) || ' months')
FROM json_each('[["Welcome",0],["News",0],["About us",0],["The editors",83],["How to join",84],["Our printing press",83],["Contact",0],["Visit Saltwick",0],["By ferry",88],["By rail",88],["On foot",88],["Where to sleep",88],["Where to eat",88],["Subscriptions",0]]');
INSERT INTO item (id, author, title, gmt, modified)
SELECT 95 + n.i, 1 + n.i % 6, 'The ' || a.w || ' ' || t.w || CASE n.i % 3 WHEN 0 THEN ' of ' || p.w || ' ' || d.w WHEN 1 THEN ' ' || l.w || ' the ' || u.w
  ELSE ' ' || d.w || ' in ' || p.w END, datetime('2021-03-01 07:30:00', '+' || (n.i * 5) || ' days', '+' || (n.i * 37 % 600) || ' minutes'),
  CASE WHEN n.i % 3 = 0 THEN datetime('2021-03-01 18:00:00', '+' || (n.i * 5 + n.i % 60) || ' days') END
FROM n CROSS JOIN word a ON a.kind = 'adjective' AND a.i = (n.i * 3 + n.i / 20) % 20 CROSS JOIN word t ON t.kind = 'thing' AND t.i = (n.i * 7 + n.i / 20) % 20
CROSS JOIN word p ON p.kind = 'place' AND p.i = n.i % 10 CROSS JOIN word d ON d.kind = 'doing' AND d.i = n.i % 12 CROSS JOIN word l ON l.kind = 'little' AND l.i = n.i * 3 % 10
CROSS JOIN word u ON u.kind = 'thing' AND u.i = (n.i * 11 + 4) % 20 WHERE n.i < 300;
UPDATE item SET slug = lower(replace(title, ' ', '-')) || '-' || id WHERE id BETWEEN 95 AND 394;
INSERT INTO item (id, type, author, title, slug, gmt)
SELECT 395 + n.i, 'recipe', 3 + n.i % 3, 'Grandmother''s ' || w || ' ' || course, 'grandmothers-' || w || '-' || replace(course, ' ', '-') || '-' || (n.i + 1),
  datetime('2021-03-04 07:30:00', '+' || n.i || ' months')
FROM n CROSS JOIN word ON kind = 'adjective' AND word.i = n.i * 7 % 20
JOIN (SELECT key, value AS course FROM json_each('["breakfast","fish soup","clear soup","main dish","cake","pudding"]')) ON key = n.i % 6 WHERE n.i < 40;
INSERT INTO item (id, type, parent, position, title, gmt)
SELECT 435 + 3 * word.i + key, 'guide', CASE key WHEN 0 THEN 0 ELSE 435 + 3 * word.i END, CASE key WHEN 0 THEN word.i ELSE 0 END,
  CASE key WHEN 0 THEN w ELSE value END, datetime('2021-03-12 07:30:00', '+' || (2 * word.i) || ' months', '+' || min(key, 1) || ' hours')
FROM word, json_each('["","A walk","The harbour"]') WHERE kind = 'place';

-- What a sitemap must not list; the titles say why. Two of these are in.
INSERT INTO item (id, title) VALUES (465, 'Kept out by noindex'), (466, 'Told to be indexed'), (467, 'Canonical elsewhere'), (468, 'Canonical its own address'),
(479, 'In a category kept out by noindex'), (480, 'In a category with its canonical elsewhere');
INSERT INTO item (id, type, title) VALUES (475, 'page', 'Imprint kept out by noindex'), (477, 'recipe', 'A recipe kept out by noindex');
INSERT INTO item (id, type, title, password) VALUES (469, 'post', 'Behind a password', 'sesame'), (476, 'page', 'A page behind a password', 'sesame');
INSERT INTO item (id, title, status) VALUES (470, 'A draft', 'draft'), (471, 'Waiting for review', 'pending'), (472, 'A private note', 'private');
INSERT INTO item (id, title, status, gmt) VALUES (473, 'Scheduled for a distant year', 'future', '2099-01-01 09:00:00');
INSERT INTO item (id, title, status, slug) VALUES (474, 'Thrown away', 'trash', 'thrown-away__trashed');
INSERT INTO item (id, title, author) VALUES (478, 'By an author who is not listed', 7);
UPDATE item SET gmt = datetime('2023-03-02 07:30:00', '+' || (id - 465) || ' days') WHERE gmt IS NULL;
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
(465, '_yoast_wpseo_meta-robots-noindex', '1'), (466, '_yoast_wpseo_meta-robots-noindex', '2'), (475, '_yoast_wpseo_meta-robots-noindex', '1'),
(477, '_yoast_wpseo_meta-robots-noindex', '1'), (467, '_yoast_wpseo_canonical', 'https://elsewhere.example.test/the-original/'),
(468, '_yoast_wpseo_canonical', '{HOME}/canonical-its-own-address/');

UPDATE item SET slug = lower(replace(title, ' ', '-')) WHERE slug IS NULL;
UPDATE item SET content = (SELECT html FROM text WHERE text.i = item.id % 400) WHERE content IS NULL;
UPDATE item SET content = content || '<!-- wp:nextpage -->' || char(10) || '<!--nextpage-->' || char(10) || '<!-- /wp:nextpage -->' || char(10) || char(10)
  || (SELECT html FROM text WHERE text.i = item.id % 300) WHERE id BETWEEN 95 AND 394 AND id % 40 = 7;
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_content,
  post_excerpt, post_parent, post_password, post_mime_type, guid, menu_order)
SELECT id, author, datetime(gmt, '+1 hour'), CASE WHEN status IN ('draft', 'pending') THEN '0000-00-00 00:00:00' ELSE gmt END,
  datetime(COALESCE(modified, gmt), '+1 hour'), COALESCE(modified, gmt), status, type, slug, title, content, caption, parent, password,
  CASE type WHEN 'attachment' THEN 'image/jpeg' ELSE '' END, '{HOME}/?p=' || id, position FROM item ORDER BY id;
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT id, '_wp_attached_file', file || '.jpg' FROM picture;
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT id, '_thumbnail_id', CAST(1 + id * 7 % 80 AS TEXT) FROM item WHERE id BETWEEN 95 AND 394;

-- Terms, with their parents; term_taxonomy_id is term_id and 1,000.
CREATE TEMP TABLE term AS SELECT key + 1 AS id, value ->> 0 AS name, value ->> 1 AS parent,
  CASE WHEN key < 15 THEN 'category' WHEN key < 37 THEN 'post_tag' ELSE 'course' END AS taxonomy
FROM json_each('[["Uncategorized",0],["Town",0],["Harbour",2],["Ferries",3],["Fishing fleet",3],["Council",2],["Culture",0],["Music",7],["Books",7],["Theatre",7],["Kitchen talk",0],["Weather",0],["Advertisements",0],["Reprints",0],["Empty drawer",0],["boats",0],["tides",0],["storms",0],["lanterns",0],["bakery",0],["bridge",0],["market day",0],["school",0],["gardens",0],["winter",0],["summer",0],["choir",0],["lighthouse",0],["nets",0],["railway",0],["volunteers",0],["photographs",0],["letters",0],["cats",0],["history",0],["café",0],["never used",0],["Breakfast",0],["Soup",0],["Fish soup",39],["Clear soup",39],["Main dish",0],["Dessert",0],["Cake",43],["Pudding",43]]');
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id)
SELECT item.id, 1000 + value FROM item JOIN json_each('[2,3,4,5,6,8,9,10,11,12]') ON key = (item.id * 7 + item.id / 10) % 10 WHERE item.id BETWEEN 95 AND 394
UNION SELECT item.id, 1016 + item.id * value % 21 FROM item, json_each('[1,5,8]') WHERE item.id BETWEEN 95 AND 394
UNION SELECT item.id, 1000 + value FROM item JOIN json_each('[38,40,41,42,44,45]') ON key = (item.id - 395) % 6 WHERE item.id BETWEEN 395 AND 434
UNION SELECT item.id, CASE item.id WHEN 479 THEN 1013 WHEN 480 THEN 1014 ELSE 1002 END FROM item WHERE item.id >= 465 AND item.type = 'post';
INSERT INTO wp_terms (term_id, name, slug) SELECT id, name, lower(replace(replace(name, ' ', '-'), 'é', 'e')) FROM term;
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
SELECT 1000 + id, id, taxonomy, CASE WHEN taxonomy = 'category' AND parent = 0 THEN 'Everything about ' || lower(name) || '.' ELSE '' END, parent,
  (SELECT COUNT(*) FROM wp_term_relationships JOIN item ON item.id = object_id WHERE term_taxonomy_id = 1000 + term.id AND status = 'publish') FROM term;

-- Users. The last two are in no author sitemap: an author who asked to be left out, and a subscriber without posts.
CREATE TEMP TABLE person AS SELECT key + 1 AS id, value ->> 0 AS login, value ->> 1 AS name, value ->> 2 AS role, value ->> 3 AS level
FROM json_each('[["ottilie","Ottilie Quay","administrator","10"],["barnaby","Barnaby Finch","editor","7"],["marta","Marta Lindqvist","author","2"],["teodor","Teodor Vale","author","2"],["aiko","Aiko Harbour","author","2"],["samuel","Samuel Oyelaran","contributor","1"],["prudence","Prudence Unlisted","author","2"],["reader","A Faithful Reader","subscriber","0"]]');
INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, user_registered, display_name)
SELECT id, login, '!', login, login || '@example.test', '2020-01-01 00:00:00', name FROM person;
INSERT INTO wp_usermeta (user_id, meta_key, meta_value)
SELECT id, 'wp_capabilities', 'a:1:{s:' || length(role) || ':"' || role || '";b:1;}' FROM person
UNION ALL SELECT id, 'wp_user_level', level FROM person
UNION ALL SELECT id, '_yoast_wpseo_profile_updated', CAST(1614583800 + 7776000 * (id - 1) AS TEXT) FROM person
UNION ALL SELECT 7, 'wpseo_noindex_author', 'on';

-- What WordPress and Yoast SEO hold of such a site. Of the rewrite rules feeds, embeds and comment pages are left out.
INSERT INTO wp_options (option_name, option_value, autoload) VALUES
('siteurl', '{HOME}', 'on'),
('home', '{HOME}', 'on'),
('blogname', 'The Saltwick Gazette', 'on'),
('blogdescription', 'News from the quay since breakfast', 'on'),
('blog_charset', 'UTF-8', 'on'),
('blog_public', '1', 'on'),
('permalink_structure', '/%postname%/', 'on'),
('category_base', '', 'on'),
('tag_base', '', 'on'),
('show_on_front', 'page', 'on'),
('page_on_front', '81', 'on'),
('page_for_posts', '82', 'on'),
('timezone_string', '', 'on'),
('gmt_offset', '1', 'on'),
('upload_path', '', 'on'),
('upload_url_path', '', 'on'),
('uploads_use_yearmonth_folders', '1', 'on'),
('default_category', '1', 'on'),
('wp_attachment_pages_enabled', '0', 'on'),
('template', 'twentytwentyfive', 'on'),
('stylesheet', 'twentytwentyfive', 'on'),
('db_version', '61833', 'on'),
('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}', 'on'),
('wp_user_roles', 'a:5:{s:13:"administrator";a:2:{s:4:"name";s:13:"administrator";s:12:"capabilities";a:2:{s:4:"read";b:1;s:10:"edit_posts";b:1;}}s:6:"editor";a:2:{s:4:"name";s:6:"editor";s:12:"capabilities";a:2:{s:4:"read";b:1;s:10:"edit_posts";b:1;}}s:6:"author";a:2:{s:4:"name";s:6:"author";s:12:"capabilities";a:2:{s:4:"read";b:1;s:10:"edit_posts";b:1;}}s:11:"contributor";a:2:{s:4:"name";s:11:"contributor";s:12:"capabilities";a:2:{s:4:"read";b:1;s:10:"edit_posts";b:1;}}s:10:"subscriber";a:2:{s:4:"name";s:10:"subscriber";s:12:"capabilities";a:1:{s:4:"read";b:1;}}}', 'on'),
('rewrite_rules', 'a:21:{s:10:"recipes/?$";s:26:"index.php?post_type=recipe";s:27:"recipes/page/([0-9]{1,})/?$";s:44:"index.php?post_type=recipe&paged=$matches[1]";s:9:"guides/?$";s:25:"index.php?post_type=guide";s:26:"guides/page/([0-9]{1,})/?$";s:43:"index.php?post_type=guide&paged=$matches[1]";s:35:"category/(.+?)/page/?([0-9]{1,})/?$";s:53:"index.php?category_name=$matches[1]&paged=$matches[2]";s:17:"category/(.+?)/?$";s:35:"index.php?category_name=$matches[1]";s:32:"tag/([^/]+)/page/?([0-9]{1,})/?$";s:43:"index.php?tag=$matches[1]&paged=$matches[2]";s:14:"tag/([^/]+)/?$";s:25:"index.php?tag=$matches[1]";s:33:"type/([^/]+)/page/?([0-9]{1,})/?$";s:51:"index.php?post_format=$matches[1]&paged=$matches[2]";s:15:"type/([^/]+)/?$";s:33:"index.php?post_format=$matches[1]";s:33:"course/(.+?)/page/?([0-9]{1,})/?$";s:46:"index.php?course=$matches[1]&paged=$matches[2]";s:15:"course/(.+?)/?$";s:28:"index.php?course=$matches[1]";s:35:"recipes/[^/]+/attachment/([^/]+)/?$";s:32:"index.php?attachment=$matches[1]";s:32:"recipes/([^/]+)(?:/([0-9]+))?/?$";s:45:"index.php?recipe=$matches[1]&page=$matches[2]";s:32:"guides/.+?/attachment/([^/]+)/?$";s:32:"index.php?attachment=$matches[1]";s:29:"guides/(.+?)(?:/([0-9]+))?/?$";s:44:"index.php?guide=$matches[1]&page=$matches[2]";s:20:"page/?([0-9]{1,})/?$";s:28:"index.php?&paged=$matches[1]";s:35:"author/([^/]+)/page/?([0-9]{1,})/?$";s:51:"index.php?author_name=$matches[1]&paged=$matches[2]";s:17:"author/([^/]+)/?$";s:33:"index.php?author_name=$matches[1]";s:24:"(.?.+?)(?:/([0-9]+))?/?$";s:47:"index.php?pagename=$matches[1]&page=$matches[2]";s:24:"([^/]+)(?:/([0-9]+))?/?$";s:43:"index.php?name=$matches[1]&page=$matches[2]";}', 'on'),
('wpseo', 'a:5:{s:7:"version";s:4:"28.3";s:18:"enable_xml_sitemap";b:1;s:19:"permalink_structure";s:12:"/%postname%/";s:28:"last_known_public_post_types";a:4:{i:0;s:4:"post";i:1;s:4:"page";i:2;s:6:"recipe";i:3;s:5:"guide";}s:28:"last_known_public_taxonomies";a:4:{i:0;s:8:"category";i:1;s:8:"post_tag";i:2;s:11:"post_format";i:3;s:6:"course";}}', 'on'),
('wpseo_titles', 'a:15:{s:14:"disable-author";b:0;s:18:"disable-attachment";b:1;s:20:"noindex-author-wpseo";b:0;s:28:"noindex-author-noposts-wpseo";b:1;s:12:"noindex-post";b:0;s:12:"noindex-page";b:0;s:14:"noindex-recipe";b:0;s:24:"noindex-ptarchive-recipe";b:0;s:13:"noindex-guide";b:0;s:23:"noindex-ptarchive-guide";b:0;s:20:"noindex-tax-category";b:0;s:20:"noindex-tax-post_tag";b:0;s:23:"noindex-tax-post_format";b:1;s:18:"noindex-tax-course";b:0;s:17:"stripcategorybase";b:0;}', 'on'),
('wpseo_taxonomy_meta', 'a:1:{s:8:"category";a:2:{i:13;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}i:14;a:1:{s:15:"wpseo_canonical";s:40:"https://elsewhere.example.test/reprints/";}}}', 'on'),
('category_children', 'a:3:{i:2;a:2:{i:0;i:3;i:1;i:6;}i:3;a:2:{i:0;i:4;i:1;i:5;}i:7;a:3:{i:0;i:8;i:1;i:9;i:2;i:10;}}', 'on'),
('course_children', 'a:2:{i:39;a:2:{i:0;i:40;i:1;i:41;}i:43;a:2:{i:0;i:44;i:1;i:45;}}', 'on');
-- The rows of Yoast SEO. WordPress gives plain addresses to objects that are not published, and Yoast stores them.
WITH RECURSIVE place (id, path) AS (SELECT id, CASE type WHEN 'recipe' THEN 'recipes/' WHEN 'guide' THEN 'guides/' ELSE '' END || slug || '/' FROM item WHERE parent = 0
  UNION ALL SELECT item.id, path || slug || '/' FROM item JOIN place ON place.id = parent),
noindex (id, value) AS (SELECT post_id, meta_value = '1' FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_meta-robots-noindex')
INSERT INTO wp_yoast_indexable (permalink, object_id, object_type, object_sub_type, author_id, post_parent, breadcrumb_title, post_status, is_public, is_protected,
  is_robots_noindex, canonical, created_at, updated_at, version, object_last_modified, object_published_at)
SELECT '{HOME}/' || CASE WHEN item.id = 81 THEN '' WHEN status IN ('publish', 'private') THEN path ELSE '?p=' || item.id END,
  item.id, 'post', type, author, parent, title, status, CASE WHEN status <> 'publish' OR password <> '' THEN 0 ELSE NOT value END, password <> '', value,
  (SELECT meta_value FROM wp_postmeta WHERE post_id = item.id AND meta_key = '_yoast_wpseo_canonical'),
  gmt, COALESCE(modified, gmt), 2, COALESCE(modified, gmt), CASE WHEN status IN ('draft', 'pending') THEN '0000-00-00 00:00:00' ELSE gmt END
FROM item JOIN place USING (id) LEFT JOIN noindex USING (id) WHERE type <> 'attachment' ORDER BY item.id;
WITH RECURSIVE place (id, path) AS (
  SELECT term_id, CASE taxonomy WHEN 'post_tag' THEN 'tag' ELSE taxonomy END || '/' || slug || '/' FROM wp_terms JOIN wp_term_taxonomy USING (term_id) WHERE parent = 0
  UNION ALL SELECT term_id, path || slug || '/' FROM wp_terms JOIN wp_term_taxonomy USING (term_id) JOIN place ON place.id = parent)
INSERT INTO wp_yoast_indexable (permalink, object_id, object_type, object_sub_type, breadcrumb_title, is_robots_noindex, created_at, updated_at, version)
SELECT '{HOME}/' || path, id, 'term', taxonomy, name, CASE id WHEN 13 THEN 1 END, '2023-03-02 07:30:00', '2023-03-02 07:30:00', 2 FROM term JOIN place USING (id)
UNION ALL SELECT '{HOME}/author/' || login || '/', id, 'user', NULL, NULL, id = 7, '2023-03-02 07:30:00', '2023-03-02 07:30:00', 2 FROM person WHERE id < 8
UNION ALL SELECT '{HOME}/' || value || 's/', NULL, 'post-type-archive', value, upper(substr(value, 1, 1)) || substr(value, 2) || 's', 0,
  '2023-03-02 07:30:00', '2023-03-02 07:30:00', 2 FROM json_each('["recipe","guide"]')
UNION ALL SELECT '{HOME}/', NULL, 'home-page', NULL, 'Home', 0, '2023-03-02 07:30:00', '2023-03-02 07:30:00', 2
UNION ALL SELECT NULL, NULL, 'date-archive', NULL, NULL, 1, '2023-03-02 07:30:00', '2023-03-02 07:30:00', 1
UNION ALL SELECT NULL, NULL, 'system-page', value, NULL, 1, '2023-03-02 07:30:00', '2023-03-02 07:30:00', 1 FROM json_each('["404","search-result"]');
UPDATE wp_yoast_indexable SET permalink_hash = length(permalink) || ':' || md5(permalink);
DROP TABLE n; DROP TABLE word; DROP TABLE paragraph; DROP TABLE picture; DROP TABLE block; DROP TABLE text; DROP TABLE item; DROP TABLE term; DROP TABLE person;

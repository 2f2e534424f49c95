<?php
// Installs WordPress, activates a plugin, or seeds a site with what decides about sitemaps, or with posts and terms of all types that plugins
// register: php versions.php ROOT install|activate|seed|types|settle [PLUGIN].
// .ci/versions runs it.
define('STEP', $argv[2]); // WordPress uses many names of variables
define('PLUGIN', $argv[3] ?? '');
$_SERVER += ['HTTP_HOST' => 'versions.test', 'SERVER_NAME' => 'versions.test', 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1'];
STEP === 'install' && define('WP_INSTALLING', true);
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
require_once ABSPATH . 'wp-admin/includes/image.php';

if (STEP === 'install') {
	add_filter('pre_wp_mail', '__return_true');
	wp_install('Versions', 'ann', 'ann@versions.test', true, '', 'secret');
	exit(0);
}
if (STEP === 'activate') {
	wp_set_current_user(1);
	update_option('permalink_structure', '/%postname%/'); // types that are registered later have rules by it
	update_option('timezone_string', 'Europe/Berlin');
	update_option('rank_math_registration_skip', 1); // Rank Math sleeps until somebody has gone through its set-up, or skipped it
	$failed = PLUGIN !== '' ? activate_plugin(PLUGIN) : null;
	$stored = get_option('seopress_xml_sitemap_option_name');
	is_array($stored) && update_option('seopress_xml_sitemap_option_name', ['seopress_xml_sitemap_author_enable' => '1'] + $stored);
	set_site_transient('update_plugins', (object) ['last_checked' => time(), 'checked' => array_map(fn($p) => $p['Version'], get_plugins())]); // as of a look for updates
	exit(is_wp_error($failed) ? 1 : 0);
}

wp_set_current_user(1);

if (STEP === 'settle') {
	flush_rewrite_rules(); // when all options are there
	exit(0);
}
if (STEP === 'types') {
	flush_rewrite_rules();
	if (shortcode_exists('businessdirectory')) { // Business Directory asks people to make its page
		wp_insert_post(['post_type' => 'page', 'post_title' => 'Directory', 'post_status' => 'publish', 'post_content' => '[businessdirectory]']);
	}
	$terms = [];
	foreach (get_taxonomies(['_builtin' => false]) as $taxonomy) {
		$first = wp_insert_term("First of $taxonomy", $taxonomy)['term_id'] ?? 0;
		$second = wp_insert_term("Second of $taxonomy", $taxonomy, ['parent' => is_taxonomy_hierarchical($taxonomy) ? $first : 0]);
		$terms[$taxonomy] = array_filter([$first, $second['term_id'] ?? 0]);
	}
	foreach (get_post_types(['_builtin' => false]) as $type) {
		for ($i = $parent = 0; $i < 3; $i++) {
			$text = ['post_title' => "Item $i of $type", 'post_status' => 'publish', 'post_content' => '<p>Text</p>', 'post_parent' => $parent,
				'post_date' => "2024-01-1$i 12:00:00"];
			if ($type === 'tribe_events') { // events have dates
				$id = tribe_events()->set_args(['title' => $text['post_title'], 'status' => 'publish', 'start_date' => '+1 month', 'duration' => 3600])->create()->ID;
			} elseif (function_exists('eo_insert_event') && $type === 'event') {
				$id = eo_insert_event($text, ['start' => new DateTime('+1 month'), 'end' => new DateTime('+1 month')]);
			} else {
				$id = wp_insert_post(['post_type' => $type] + $text);
			}
			$parent = $i === 0 && is_post_type_hierarchical($type) ? $id : 0;
			foreach (get_object_taxonomies($type) as $taxonomy) {
				wp_set_object_terms($id, $terms[$taxonomy] ?? [], $taxonomy);
			}
		}
	}
	tick('rank-math-options-sitemap', fn(array &$set, string $kind, string $name) => $set[($kind === 'type' ? 'pt_' : 'tax_') . $name . '_sitemap'] = 'on');
	tick('seopress_xml_sitemap_option_name', fn(array &$set, string $kind, string $name) =>
		$set['seopress_xml_sitemap_' . ($kind === 'type' ? 'post_types' : 'taxonomies') . '_list'][$name]['include'] = '1');
	settle();
	exit(0);
}

// Ticks all that is public in the settings of a plugin, as its pages offer it.
function tick(string $option, callable $on): void {
	$set = get_option($option);
	if (is_array($set)) {
		foreach (array_diff(array_keys(array_filter(get_post_types(['public' => true], 'objects'), 'is_post_type_viewable')), ['attachment']) as $name) {
			$on($set, 'type', $name);
		}
		foreach (array_diff(array_keys(array_filter(get_taxonomies(['public' => true], 'objects'), 'is_taxonomy_viewable')), ['post_format']) as $name) {
			$on($set, 'taxonomy', $name);
		}
		update_option($option, $set);
	}
}

// Brings what plugins and the server know of the rows to where it is on a site that is older.
function settle(): void {
	global $wpdb;
	if (function_exists('aioseo')) {
		$wpdb->query("INSERT INTO {$wpdb->prefix}aioseo_posts (post_id, created, updated) SELECT ID, post_date_gmt, post_date_gmt FROM $wpdb->posts
			WHERE ID NOT IN (SELECT post_id FROM {$wpdb->prefix}aioseo_posts)"); // as it does when posts are saved in the admin
	}
	$wpdb->query('ANALYZE TABLE ' . implode(', ', $wpdb->get_col('SHOW TABLES'))); // for the plans of queries
}

$authors = [1];
foreach (['author' => 'author', 'editor' => 'editor', 'reader' => 'subscriber'] as $login => $role) {
	$authors[] = wp_insert_user(['user_login' => $login, 'user_pass' => 'secret', 'user_email' => "$login@versions.test", 'role' => $role]);
}

// Inserts a post of a day in 2024, and returns its id.
function post(string $type, string $title, int $day, array $more = []): int {
	$date = gmdate('Y-m-d H:i:s', 1704448800 + 86400 * $day);
	$id = wp_insert_post($more + [
		'post_type' => $type, 'post_title' => $title, 'post_status' => 'publish', 'post_content' => "<p>$title</p>", 'post_date' => $date,
	], true);
	return is_wp_error($id) ? exit(1) : $id;
}

// Keeps search engines from a post, or names another canonical URL, as each plugin stores it.
function seo(int $id, bool $noindex, string $canonical = ''): void {
	global $wpdb;
	if ($noindex) {
		update_post_meta($id, '_yoast_wpseo_meta-robots-noindex', '1');
		update_post_meta($id, 'rank_math_robots', ['noindex']);
		update_post_meta($id, '_seopress_robots_index', 'yes');
	}
	foreach ($canonical ? ['_yoast_wpseo_canonical', 'rank_math_canonical_url', '_seopress_robots_canonical'] : [] as $key) {
		update_post_meta($id, $key, $canonical);
	}
	$table = $wpdb->prefix . 'aioseo_posts';
	if ($wpdb->get_var("SHOW TABLES LIKE '$table'")) {
		$wpdb->delete($table, ['post_id' => $id]);
		$wpdb->insert($table, ['post_id' => $id, 'robots_default' => $noindex ? 0 : 1, 'robots_noindex' => $noindex ? 1 : 0,
			'canonical_url' => $canonical, 'created' => '2024-01-01', 'updated' => '2024-01-01']);
	}
}

// An attachment with a file, and its address.
function picture(string $name, int $parent = 0): int {
	$dir = wp_upload_dir('2024/01');
	$image = imagecreatetruecolor(640, 480);
	imagejpeg($image, $dir['path'] . "/$name.jpg");
	$id = wp_insert_attachment(['post_mime_type' => 'image/jpeg', 'post_title' => $name, 'post_status' => 'inherit'], $dir['path'] . "/$name.jpg", $parent);
	wp_update_attachment_metadata($id, wp_generate_attachment_metadata($id, $dir['path'] . "/$name.jpg"));
	return $id;
}

$url = 'wp_get_attachment_url';
$news = wp_insert_term('News', 'category')['term_id'];
$local = wp_insert_term('Local', 'category', ['parent' => $news])['term_id'];
wp_insert_term('Empty', 'category');
$shelf = wp_insert_term('Höhe & Tiefe', 'shelf')['term_id'];
$pictures = [picture('one'), picture('two'), picture('three')];

for ($i = 0; $i < 60; $i++) {
	$id = post('post', "Post number $i", $i, [
		'post_author' => $authors[$i % 3], 'post_category' => [$i % 2 ? $news : $local], 'tags_input' => ['tag ' . $i % 5],
		'post_content' => $i % 4 ? "<p>Text $i</p>" : '<img src="' . $url($pictures[$i % 3]) . '" alt="Alt"><img src="/wp-content/relative.png">',
	]);
	if ($i % 7 === 0) {
		set_post_thumbnail($id, $pictures[1]);
	}
}
seo(post('post', 'Kept out by noindex', 70), true);
seo(post('post', 'Canonical elsewhere', 71), false, 'https://elsewhere.test/');
post('post', 'Grüße aus 日本', 72);
post('post', 'Locked', 73, ['post_password' => 'secret']);
foreach (['draft', 'private', 'pending'] as $i => $status) {
	post('post', "Status $status", 74 + $i, ['post_status' => $status]);
}
post('post', 'Gallery', 78, ['post_content' => '[gallery ids="' . implode(',', $pictures) . '"]']);
post('post', 'Several parts', 79, ['post_content' => 'One<!--nextpage-->Two<!--nextpage-->Three']);
stick_post(post('post', 'Sticky', 80));
wp_delete_post(post('post', 'In the trash', 81));

$front = post('page', 'Front', 0, ['post_content' => '<img src="' . $url($pictures[0]) . '">']);
$blog = post('page', 'Blog', 1);
$about = post('page', 'About', 2);
post('page', 'Team', 3, ['post_parent' => $about]);
post('page', 'Below a draft', 4, ['post_parent' => post('page', 'Draft', 4, ['post_status' => 'draft', 'post_name' => 'draft'])]);
array_map('update_option', ['show_on_front', 'page_on_front', 'page_for_posts'], ['page', $front, $blog]);
for ($i = 0; $i < 8; $i++) {
	wp_set_object_terms(post('book', "Book $i", 10 + $i), [$shelf], 'shelf');
}
post('guide', 'Below', 6, ['post_parent' => post('guide', 'Above', 5)]);
post('vault', 'Code', 7);
if (function_exists('aioseo')) { // lists that are off at first
	aioseo()->options->sitemap->general->author = aioseo()->options->sitemap->general->date = true;
	aioseo()->options->save(true);
}
flush_rewrite_rules();
settle();

package sample

// option is a row of options; values that are no strings are serialised.
type option struct {
	name  string
	value any
}

func (w *Writer) addOptions(options []option) {
	for _, o := range options {
		value, ok := o.value.(string)
		if !ok {
			value = serialize(o.value)
		}
		w.Add(w.options, o.name, value, "on")
	}
}

// AddSite writes the options of a site with nothing but WordPress, Yoast SEO and the usual roles.
func (w *Writer) AddSite(home, name string) {
	w.addOptions(append(coreOptions(home, name), option{"wp_user_roles", userRoles()}))
}

// coreOptions are what a fresh installation with Yoast SEO holds, as far as a sitemap
// depends on it: latest posts on the front page, /%postname%/, no time zone.
func coreOptions(home, name string) []option {
	return []option{
		{"siteurl", home},
		{"home", home},
		{"blogname", name},
		{"blogdescription", ""},
		{"blog_charset", "UTF-8"},
		{"blog_public", "1"},
		{"permalink_structure", "/%postname%/"},
		{"category_base", ""},
		{"tag_base", ""},
		{"show_on_front", "posts"},
		{"page_on_front", "0"},
		{"page_for_posts", "0"},
		{"timezone_string", ""},
		{"gmt_offset", "0"},
		{"upload_path", ""},
		{"upload_url_path", ""},
		{"uploads_use_yearmonth_folders", "1"},
		{"default_category", "1"},
		{"wp_attachment_pages_enabled", "0"},
		{"template", "twentytwentyfive"},
		{"stylesheet", "twentytwentyfive"},
		{"db_version", "61833"},
		{"active_plugins", list("wordpress-seo/wp-seo.php")},
	}
}

// userRoles are WordPress' roles, cut down to the capabilities that decide who is an author.
func userRoles() array {
	role := func(name string, edit bool, level int) array {
		capabilities := array{{"read", true}}
		if edit {
			capabilities = append(capabilities, pair{"edit_posts", true})
		}
		for l := level; l >= 0; l-- {
			capabilities = append(capabilities, pair{"level_" + itoa(l), true})
		}
		return array{{"name", name}, {"capabilities", capabilities}}
	}
	return array{
		{"administrator", role("Administrator", true, 10)},
		{"editor", role("Editor", true, 7)},
		{"author", role("Author", true, 2)},
		{"contributor", role("Contributor", true, 1)},
		{"subscriber", role("Subscriber", false, 0)},
	}
}

package wptest

// option is a row of options. A value that is no string is serialized.
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

// AddSite writes the options of a site that has WordPress, Yoast SEO and the usual roles.
func (w *Writer) AddSite(home, name string) {
	w.addOptions(append(coreOptions(home, name), option{"wp_user_roles", userRoles()}))
}

// coreOptions returns the options of a new installation with Yoast SEO that a sitemap depends on: latest posts on the front page,
// /%postname%/, no time zone.
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

// userRoles returns WordPress' roles with the one capability that makes a user an author.
func userRoles() array {
	var roles array
	for _, name := range []string{"administrator", "editor", "author", "contributor", "subscriber"} {
		capabilities := array{{"read", true}}
		if name != "subscriber" {
			capabilities = append(capabilities, pair{"edit_posts", true})
		}
		roles = append(roles, pair{name, array{{"name", name}, {"capabilities", capabilities}}})
	}
	return roles
}

package wptest

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

// userRoles are WordPress' roles, cut down to the capability that decides who is an author.
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

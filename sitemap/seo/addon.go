package seo

// AddOn is an add-on of a plugin that makes an additional sitemap of news or videos. If Name is "",
// there is no add-on.
type AddOn struct {
	Usual  string // the usual name of the sitemap: "news" or "video"
	Name   string // for people
	Plugin string // name of its folder in the plugins folder
	Prefix string // begins the name of the sitemap if a post type has the usual name; "" means "google-"
}

// NameOf returns the name of the add-on's sitemap: the usual name, with a prefix if a post type has that name.
func (a AddOn) NameOf(r *Rules) string {
	if r.Blog.Registry().PostType(a.Usual) == nil {
		return a.Usual
	}
	if a.Prefix == "" {
		return "google-" + a.Usual
	}
	return a.Prefix + a.Usual
}

// asked returns what the operator has chosen for the sitemap of news or videos. usual is "news" or "video".
func (o *Options) asked(usual string) Switch {
	return map[string]Switch{"news": o.News.Enabled, "video": o.Video.Enabled}[usual]
}

// MakesOwn reports whether the sitemap follows the add-on's own rules instead of Google's. It does at level plugin, unless
// the operator has switched the sitemap on or off.
func (a AddOn) MakesOwn(r *Rules) bool {
	return r.Options.Compat == PluginLevel && r.Options.asked(a.Usual) == Auto
}

// Says returns the evidence of what enables the sitemap: the configuration or the add-on.
func (a AddOn) Says(r *Rules) []Evidence {
	if operator := r.Options.asked(a.Usual); operator == SwitchedOn || a.Plugin == "" {
		return []Evidence{{Source: "[site." + a.Usual + "] enabled", Value: operator.String()}}
	}
	return []Evidence{r.Option("active_plugins", "with "+a.Plugin)}
}

// Absent returns why the sitemap does not exist. The keys of the map are all names that the sitemap might
// have on a blog.
func (a AddOn) Absent(r *Rules) map[string]*Reason {
	operator, key := r.Options.asked(a.Usual), "[site."+a.Usual+"] enabled"
	why := &Reason{Rule: RuleNoPlugin, Evidence: []Evidence{{Source: key, Value: operator.String()}}}
	switch {
	case operator == SwitchedOff:
		why.Rule, why.Sentence = RuleSwitchedOff, "the configuration switches it off."
	case a.Plugin == "":
		why.Sentence = "to get one, set " + key + " = true."
	default:
		why.Sentence = "the add-on " + a.Name + " is not active. To get one without it, set " + key + " = true."
		why.Evidence = append([]Evidence{r.Option("active_plugins", "without "+a.Plugin)}, why.Evidence...)
	}
	why.Sentence = "There is no " + a.Usual + " sitemap: " + why.Sentence
	absent := map[string]*Reason{a.Usual: why, a.NameOf(r): why}
	if a.Prefix != "" {
		absent[a.Prefix+a.Usual] = why
	}
	return absent
}

// String returns the value as the configuration spells it.
func (s Switch) String() string { return [...]string{`"auto"`, "true", "false"}[s] }

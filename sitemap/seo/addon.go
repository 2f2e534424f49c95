package seo

// AddOn is the add-on of a plugin that makes a sitemap beside the plugin's: of news, of videos. The zero value means no add-on.
type AddOn struct {
	Name   string // for people
	Plugin string // its folder
	Prefix string // is before the usual name of the sitemap where a post type has that name
}

// NameOf returns the name of the sitemap that is usually called so.
func (a *AddOn) NameOf(r *Rules, usual string) string {
	if r.Blog.Registry().PostType(usual) == nil {
		return usual
	}
	if a.Prefix == "" {
		return "google-" + usual
	}
	return a.Prefix + usual
}

// asked is what the operator says of the sitemap that is usually called so.
func (o *Options) asked(usual string) Switch {
	return map[string]Switch{"news": o.News.Enabled, "video": o.Video.Enabled}[usual]
}

// MakesOwn reports whether the add-on makes the sitemap by its own rules: at level plugin, where the operator has not asked for one
// by Google's.
func (a *AddOn) MakesOwn(r *Rules, usual string) bool {
	return r.Options.Compat == PluginLevel && r.Options.asked(usual) == Auto
}

// Says returns what switches the sitemap on: the configuration, else the add-on.
func (a *AddOn) Says(r *Rules, usual string) []Evidence {
	if operator := r.Options.asked(usual); operator == SwitchedOn || a.Plugin == "" {
		return []Evidence{{Source: "[site." + usual + "] enabled", Value: operator.String()}}
	}
	return []Evidence{r.Option("active_plugins", "with "+a.Plugin)}
}

// Absent says why there is no sitemap, for each name that it has or might have.
func (a *AddOn) Absent(r *Rules, usual string) map[string]*Reason {
	operator, key := r.Options.asked(usual), "[site."+usual+"] enabled"
	why := &Reason{Rule: RuleNoPlugin, Evidence: []Evidence{{Source: key, Value: operator.String()}}}
	switch {
	case operator == SwitchedOff:
		why.Rule, why.Sentence = RuleSwitchedOff, "the configuration switches it off."
	case a.Plugin == "":
		why.Sentence = "nothing asks for one; " + key + " = true does."
	default:
		why.Sentence = "the add-on " + a.Name + " is not active; " + key + " = true makes one without it."
		why.Evidence = append([]Evidence{r.Option("active_plugins", "without "+a.Plugin)}, why.Evidence...)
	}
	why.Sentence = "There is no " + usual + " sitemap: " + why.Sentence
	absent := map[string]*Reason{usual: why, a.NameOf(r, usual): why}
	if a.Prefix != "" {
		absent[a.Prefix+usual] = why
	}
	return absent
}

// String is the value in the configuration.
func (s Switch) String() string { return [...]string{`"auto"`, "true", "false"}[s] }

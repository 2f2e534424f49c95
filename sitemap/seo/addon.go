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

// Missing says why there is no sitemap of a name, if that is what the sitemap is or might be called; nil for another name.
func (a *AddOn) Missing(r *Rules, usual, name string) *Reason {
	if name != a.NameOf(r, usual) && name != usual && (a.Prefix == "" || name != a.Prefix+usual) {
		return nil
	}
	operator, key := r.Options.asked(usual), "[site."+usual+"] enabled"
	why := Reason{Rule: RuleNoPlugin, Evidence: []Evidence{{Source: key, Value: operator.String()}}}
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
	return &why
}

// String is the value in the configuration.
func (s Switch) String() string { return [...]string{`"auto"`, "true", "false"}[s] }

// WithAddOns returns the decisions with more checks behind their own, each verdict once, and with more that say what is
// missing.
func (d *Decisions) WithAddOns(checks []Check, missing ...func(r *Rules, name string) *Reason) *Decisions {
	whole := *d
	whole.Checks = append([]Check{}, d.Checks...)
	for _, c := range checks {
		if !whole.Has(c.Verdict) {
			whole.Checks = append(whole.Checks, c)
		}
	}
	whole.Missing = func(r *Rules, name string) *Reason {
		for _, says := range missing {
			if why := says(r, name); why != nil {
				return why
			}
		}
		return nil
	}
	return &whole
}

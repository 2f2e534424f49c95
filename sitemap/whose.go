package sitemap

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/others"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
)

// Whose says whose sitemaps a blog has, and why. By default these are the sitemaps of the first active plugin whose
// sitemaps are on. Without such a plugin, they are WordPress' own, if it has sitemaps. The operator can choose a plugin
// instead.
type Whose struct {
	plugin   *plugin        // the plugin whose addresses are used; its sitemaps are served only if on is set
	on       bool           // the daemon serves sitemaps for the blog
	chosen   bool           // the operator has chosen the plugin
	why      seo.Reason     // if no sitemaps are served, explain gives this reason for every address
	others   []seo.Presence // other plugins with sitemaps of their own, which would answer without the daemon
	presence *seo.Presence  // presence of plugin; nil if it is not active
}

// Auto and Off are the values of the configuration key sitemaps that name no plugin.
const (
	Auto = "auto"
	Off  = "off"
)

// Choices returns the valid values of the configuration key sitemaps.
func Choices() []string {
	all := []string{Auto, Off}
	for _, p := range plugins {
		all = append(all, p.key)
	}
	return all
}

// WhoseOf decides whose sitemaps a blog has at a level. choice is one of Choices; "" means Auto.
func WhoseOf(blog *wp.Blog, choice string, level seo.Level) *Whose {
	choice, level = cmp.Or(choice, Auto), cmp.Or(level, seo.PluginLevel)
	w := whoseAuto(blog, level)
	if choice == Auto {
		return w
	}
	w.chosen = true
	w.why = seo.Reason{
		Rule: ruleChosen, Sentence: "sitemaps = " + strconv.Quote(choice) + " is set in the configuration",
		Evidence: []seo.Evidence{{Source: "sitemaps", Value: strconv.Quote(choice)}},
	}
	if choice == Off {
		w.on = false
		return w
	}
	for _, p := range plugins {
		if p.key == choice {
			w.plugin, w.on = p, p.levels[level].plugin.Possible(blog)
		}
	}
	return w
}

// whoseAuto decides without the operator. The plugin whose sitemaps answer has them. If none answers, they are WordPress' own, even
// beside a plugin whose rules are not known here. If WordPress has none either, the reason says what was found.
func whoseAuto(blog *wp.Blog, level seo.Level) *Whose {
	w := &Whose{plugin: fallback}
	off := w.askPlugins(blog, level)
	for _, p := range others.Present(blog) {
		if p.Answers() {
			w.others = append(w.others, p)
		} else {
			off = append(off, p)
		}
	}
	if w.on {
		return w
	}
	w.why = whyNobody(blog, off)
	if len(w.others) > 0 {
		w.why = whyOther(blog, &w.others[0])
	}
	switch {
	case blog.Settings().Core.Sitemaps:
		w.plugin, w.on, w.presence = &corePlugin, true, nil
		w.why.Sentence += "; the index of WordPress' own sitemaps is " + wpcore.Plugin.URLs.URL(seo.BaseOf(blog), wpcore.IndexFile)
	case len(w.others) == 0:
		noCore(blog, &w.why)
	}
	return w
}

// askPlugins sets the plugin: the first one whose sitemaps answer, or else the first active one, for its addresses. It returns the
// active plugins whose sitemaps are off.
func (w *Whose) askPlugins(blog *wp.Blog, level seo.Level) (off []seo.Presence) {
	for _, p := range plugins {
		found := p.levels[level].plugin.Presence(blog)
		switch {
		case found.Answers() && (w.on || found.ByPHP != nil):
			w.others = append(w.others, found)
		case found.Answers():
			w.plugin, w.on, w.presence = p, true, &found
			w.why = seo.Reason{Rule: ruleActive, Sentence: found.Name + " is active (" + found.Folder + ")", Evidence: found.Evidence(blog)}
		case found.Folder != "":
			off = append(off, found)
			if !w.on && w.presence == nil {
				w.plugin, w.presence = p, &found
			}
		}
	}
	return off
}

// whyOther returns the reason why a plugin whose rules are not followed here makes the sitemaps.
func whyOther(blog *wp.Blog, p *seo.Presence) seo.Reason {
	why := seo.Reason{
		Rule: ruleOthers, Evidence: p.Evidence(blog),
		Sentence: fmt.Sprintf("%s makes the sitemaps of this site (%s is active), so the site itself serves them at %s, unless the "+
			`configuration chooses other rules by sitemaps = "…"`, p.Name, p.Folder, p.Index),
	}
	if p.ByPHP != nil {
		why.Sentence += "; " + p.ByPHP.Sentence
	}
	return why
}

// whyNobody returns the reason why no plugin serves sitemaps. off are the active plugins whose
// sitemaps are off.
func whyNobody(blog *wp.Blog, off []seo.Presence) seo.Reason {
	if len(off) == 0 {
		return seo.Reason{
			Rule: ruleNobody, Sentence: "no SEO plugin that makes sitemaps is active",
			Evidence: []seo.Evidence{(&seo.Rules{Blog: blog}).Option("active_plugins", "without one")},
		}
	}
	why := seo.Reason{Rule: seo.RuleOff}
	var sentences []string
	for _, p := range off {
		sentences = append(sentences, strings.TrimSuffix(p.Off.Sentence, "."))
		why.Evidence = append(why.Evidence, p.Evidence(blog)...)
	}
	why.Sentence = strings.Join(sentences, "; ")
	return why
}

// noCore adds to why the reason that WordPress' own sitemaps are not served either.
func noCore(blog *wp.Blog, why *seo.Reason) {
	if !blog.Settings().BlogPublic {
		why.Sentence += ", and WordPress has no sitemaps of its own while the site asks search engines to stay away (blog_public)"
		why.Evidence = append(why.Evidence, (&seo.Rules{Blog: blog}).Option("blog_public", `"0"`))
		return
	}
	why.Sentence += "; the site itself decides whether WordPress' own sitemaps answer at " + blog.Home() + "/" + wpcore.IndexFile
}

// These are the names of the reasons in Whose.why.
const (
	ruleActive = "plugin active"
	ruleChosen = "chosen by configuration"
	ruleNobody = "no sitemaps"
	ruleOthers = "another plugin's sitemaps"
)

// Plugin returns the plugin whose rules and addresses are used.
func (w *Whose) Plugin() *seo.Plugin { return w.plugin.facts }

// Why returns the reason why these sitemaps, or none, are served. It is a sentence without a full
// stop.
func (w *Whose) Why() string { return w.why.Sentence }

// Warning returns what an administrator should change in WordPress, or "" if nothing.
func (w *Whose) Warning() string {
	switch {
	case !w.on || w.chosen || w.presence == nil:
		return ""
	case len(w.others) > 0:
		return fmt.Sprintf("%s and %s are both active and make sitemaps. wpsitemapd serves those of %s. Deactivate one of the plugins, "+
			`or choose one by sitemaps = "…"`, w.presence.Name, w.others[0].Name, w.presence.Name)
	}
	return w.presence.Note
}

// Notice returns what an administrator should know about the choice of the plugin, or "" if nothing. It
// includes Warning.
func (w *Whose) Notice() string {
	switch {
	case !w.on:
		return "wpsitemapd serves no sitemap here: " + w.why.Sentence
	case !w.chosen && w.presence == nil:
		return w.why.Sentence
	}
	return w.Warning()
}

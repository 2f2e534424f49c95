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

// Whose is whose sitemaps a blog has, and why. By the key "auto" it is the first plugin of the list that is active and
// whose sitemaps are on, else WordPress itself where it has sitemaps, else nobody; another key is the operator's word.
type Whose struct {
	plugin   *plugin        // whose addresses are known; served only where on
	on       bool           // sitemaps are served
	chosen   bool           // by the operator
	why      seo.Reason     // also what explain says of every address where nobody's sitemaps are served
	others   []seo.Presence // plugins whose sitemaps answer, too, or would
	presence *seo.Presence  // of plugin; nil where it is not active
}

// Auto and Off are the values of the key "sitemaps" that are no plugin.
const (
	Auto = "auto"
	Off  = "off"
)

// Choices are the values that the configuration may have for whose sitemaps are served.
func Choices() []string {
	all := []string{Auto, Off}
	for _, p := range plugins {
		all = append(all, p.key)
	}
	return all
}

// WhoseOf decides whose sitemaps a blog has at a level; choice is one of Choices, "" being Auto.
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

func whoseAuto(blog *wp.Blog, level seo.Level) *Whose {
	w := &Whose{plugin: fallback}
	var off []seo.Presence
	for _, p := range plugins {
		is := p.levels[level].plugin.Presence(blog)
		switch {
		case is.Answers() && (w.on || is.ByPHP != nil):
			w.others = append(w.others, is)
		case is.Answers():
			w.plugin, w.on, w.presence = p, true, &is
			w.why = seo.Reason{Rule: ruleActive, Sentence: is.Name + " is active (" + is.Folder + ")", Evidence: is.Evidence(blog)}
		case is.Folder != "":
			off = append(off, is)
			if !w.on && w.presence == nil {
				w.plugin, w.presence = p, &is
			}
		}
	}
	for _, is := range others.Present(blog) {
		if is.Answers() {
			w.others = append(w.others, is)
		} else {
			off = append(off, is)
		}
	}
	if w.on {
		return w
	}
	w.why = whyNobody(blog, off)
	if len(w.others) > 0 {
		is := w.others[0]
		w.why = seo.Reason{
			Rule: ruleOthers, Evidence: is.Evidence(blog),
			Sentence: fmt.Sprintf("%s makes the sitemaps of this site (%s is active); wpsitemapd leaves them to it: %s",
				is.Name, is.Folder, is.Index),
		}
		if is.ByPHP != nil {
			w.why.Sentence += "; " + is.ByPHP.Sentence
		}
	}
	switch {
	case wpcore.Serves(blog):
		w.plugin, w.on, w.presence = &corePlugin, true, nil
		w.why.Sentence += "; the index of WordPress' own is " + wpcore.Plugin.URLs.URL(seo.BaseOf(blog), wpcore.IndexFile)
	case len(w.others) == 0:
		noCore(blog, &w.why)
	}
	return w
}

// whyNobody is why no plugin's sitemaps answer; off are those that are active.
func whyNobody(blog *wp.Blog, off []seo.Presence) seo.Reason {
	if len(off) == 0 {
		return seo.Reason{
			Rule: ruleNobody, Sentence: "no SEO plugin that makes sitemaps is active",
			Evidence: []seo.Evidence{(&seo.Rules{Blog: blog}).Option("active_plugins", "without one")},
		}
	}
	why := seo.Reason{Rule: seo.RuleOff}
	var sentences []string
	for _, is := range off {
		sentences = append(sentences, strings.TrimSuffix(is.Off.Sentence, "."))
		why.Evidence = append(why.Evidence, is.Evidence(blog)...)
	}
	why.Sentence = strings.Join(sentences, "; ")
	return why
}

// noCore adds why WordPress' own sitemaps are not served, either.
func noCore(blog *wp.Blog, why *seo.Reason) {
	if !blog.Settings().BlogPublic {
		why.Sentence += ", and WordPress has no sitemaps of its own while the site asks search engines to stay away (blog_public)"
		why.Evidence = append(why.Evidence, (&seo.Rules{Blog: blog}).Option("blog_public", `"0"`))
		return
	}
	why.Sentence += "; the site itself decides whether WordPress' own sitemaps answer at " + blog.Home() + "/" + wpcore.IndexFile
}

// Rules of a Whose.
const (
	ruleActive = "plugin active"
	ruleChosen = "chosen by configuration"
	ruleNobody = "no sitemaps"
	ruleOthers = "another plugin's sitemaps"
)

// Plugin returns whose rules and addresses they are.
func (w *Whose) Plugin() *seo.Plugin { return w.plugin.is }

// Chosen reports whether the operator has chosen the plugin.
func (w *Whose) Chosen() bool { return w.chosen && w.on }

// Why says in a sentence, without a full stop, why these sitemaps are served, or why none are.
func (w *Whose) Why() string { return w.why.Sentence }

// Warning says what an administrator should change in WordPress, "" for nothing.
func (w *Whose) Warning() string {
	switch {
	case !w.on || w.chosen || w.presence == nil:
		return ""
	case len(w.others) > 0:
		return fmt.Sprintf("%s and %s are both active with sitemaps of their own; those of %s are served: deactivate one of them, "+
			`or name the one that counts by sitemaps = "…"`, w.presence.Name, w.others[0].Name, w.presence.Name)
	}
	return w.presence.Note
}

// Notice says what an administrator should know of whose sitemaps are served, "" for nothing.
func (w *Whose) Notice() string {
	switch {
	case !w.on:
		return w.why.Sentence + ": no sitemap is served"
	case !w.chosen && w.presence == nil:
		return w.why.Sentence
	}
	return w.Warning()
}

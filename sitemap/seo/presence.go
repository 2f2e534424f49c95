package seo

import (
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// Presence says whether a plugin is active on a blog and answers for its sitemaps. It ignores the
// operator's choices.
type Presence struct {
	Name   string
	Index  string  // public address of its index
	Folder string  // its folder in active_plugins; "" if the plugin is not active
	Off    *Reason // why an active plugin does not answer for its sitemaps; nil if it does
	ByPHP  *Reason // why the daemon leaves sitemaps that answer to the site itself; nil if the daemon makes them
	Note   string  // a remark about its settings for the administrator; "" if there is none
}

// Answers reports whether the plugin's sitemaps answer on the blog.
func (p *Presence) Answers() bool { return p.Folder != "" && p.Off == nil }

// Evidence returns the evidence that the plugin is active. If the fields Off or ByPHP are set, it adds their evidence.
func (p *Presence) Evidence(blog *wp.Blog) []Evidence {
	all := []Evidence{OptionOf(blog, "active_plugins", strconv.Quote(p.Folder))}
	for _, why := range []*Reason{p.Off, p.ByPHP} {
		if why != nil {
			all = append(all, why.Evidence...)
		}
	}
	return all
}

// RuleOff is the name of the reason for sitemaps that the plugin has switched off.
const RuleOff = "sitemaps switched off"

// OffBy returns the reason why a plugin's sitemaps do not answer: an option switches them off. value is the value of
// the option.
func OffBy(blog *wp.Blog, plugin, option, value string) *Reason {
	return Because(RuleOff, "The sitemaps of "+plugin+" are switched off ("+option+").", "", OptionOf(blog, option, value))
}

// Decoded returns the options of a plugin on a blog, as its Inputs decoded them. If they were not read, it returns the zero
// value.
func Decoded[T any](blog *wp.Blog, name string) *T {
	if o, read := blog.Decoded(name).(*T); read {
		return o
	}
	return new(T)
}

// ValueText returns a stored value as text for evidence. The texts of true, 1 and "1" differ.
func ValueText(v php.Value) string {
	switch v.Kind {
	case php.Null:
		return "never saved"
	case php.Bool:
		return strconv.FormatBool(v.IsTrue())
	case php.Array:
		return strconv.Quote(strings.Join(v.Strings(), ", "))
	case php.String:
		return strconv.Quote(v.Str())
	}
	return v.Str()
}

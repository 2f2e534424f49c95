package seo

import (
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// Presence says whether a plugin is active on a blog and its sitemaps answer, whatever the operator wishes.
type Presence struct {
	Name   string
	Index  string  // public address of its index
	Folder string  // its folder, as active_plugins has it; "" where it is not active
	Off    *Reason // why its sitemaps do not answer though it is active; nil: they do
	Note   string  // what an administrator should know of its settings; "" for nothing
}

// Answers reports whether the plugin's sitemaps answer on the blog.
func (p *Presence) Answers() bool { return p.Folder != "" && p.Off == nil }

// Evidence is what shows that the plugin is active, and why its sitemaps do not answer.
func (p *Presence) Evidence(blog *wp.Blog) []Evidence {
	all := []Evidence{OptionOf(blog, "active_plugins", strconv.Quote(p.Folder))}
	if p.Off != nil {
		all = append(all, p.Off.Evidence...)
	}
	return all
}

// RuleOff is the name of the reason that a plugin's sitemaps are switched off.
const RuleOff = "sitemaps switched off"

// OffBy is the reason that an option switches the sitemaps of a plugin off.
func OffBy(blog *wp.Blog, plugin, option, value string) *Reason {
	return Because(RuleOff, "The sitemaps of "+plugin+" are switched off ("+option+").", "", OptionOf(blog, option, value))
}

// Decoded returns what a plugin's Inputs have made of its options on a blog; the zero value where they were not read.
func Decoded[T any](blog *wp.Blog, name string) *T {
	if o, read := blog.Decoded(name).(*T); read {
		return o
	}
	return new(T)
}

// ValueText is a stored value as evidence, so that true, 1 and "1" differ.
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

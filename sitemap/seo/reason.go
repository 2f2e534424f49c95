package seo

import "wpsitemapd/wp/registry"

// Reason says why a whole type, an archive or a sitemap is left out.
type Reason struct {
	Rule     string // the name of the reason, in the style of a verdict's name
	Sentence string
	Evidence []Evidence
	Do       string // as Check.Do
}

// Because returns a reason with its evidence. do has the meaning of Check.Do.
func Because(rule, sentence, do string, evidence ...Evidence) *Reason {
	return &Reason{Rule: rule, Sentence: sentence, Do: do, Evidence: evidence}
}

// Never returns the reason for a type that never has a sitemap of a plugin.
func Never(plugin, of string) *Reason {
	return Because(RuleNever, "This type never has a sitemap.", "", Evidence{plugin, "no sitemap of this type", of})
}

// Unqueryable returns the reason for a taxonomy whose terms cannot be queried.
func Unqueryable(t *registry.Taxonomy) *Reason {
	return Because(RuleNotViewable, "Visitors cannot see the terms of this taxonomy.", "",
		Evidence{string(t.Sources["public"]), "public = true, but publicly_queryable is false", "taxonomy " + t.Name})
}

// Names of reasons that plugins share.
const (
	RuleNotViewable  = "type not viewable"
	RuleNotPublic    = "type not public"
	RuleTypeExcluded = "type excluded by configuration"
	RuleTypeHidden   = "type disabled"
	RuleTypeNoindex  = "type noindex"
	RuleNever        = "type never listed"
	RuleAuthorsOff   = "author archives off"
	RuleNoArchive    = "no archive"
	RuleNoPlugin     = "plugin not active"
	RuleSwitchedOff  = "switched off by configuration"
)

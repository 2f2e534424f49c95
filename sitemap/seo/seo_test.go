package seo

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// Objects that the plugin's SQL leaves out take no place on its pages. Objects that its PHP drops do.
func TestLateVerdicts(t *testing.T) {
	for rule, want := range map[Verdict]bool{
		Listed: true, NotPublished: false, ZeroDate: false, PasswordProtected: false, ParentHidden: false,
		NotAMember: false, Excluded: true, FrontPageItself: true, MetaNoindex: true,
		ExternalLink: true, CanonicalElsewhere: true, JobFilled: true, ServicePage: true, LinksElsewhere: true,
	} {
		expect.Equal(t, rule.Late(), want, rule, "late =")
	}
	seen := map[string]bool{"": true}
	for rule := range verdictCount {
		if seen[rule.String()] {
			t.Errorf("rule %d is called %q, like another", rule, rule)
		}
		seen[rule.String()] = true
	}
}

// Only the configuration's exclusions are the operator's. Objects that visitors cannot see are left out by no rule.
func TestWhoseVerdict(t *testing.T) {
	operator := map[Verdict]bool{Excluded: true, OfExcludedTerm: true, OutOfStock: true, TooOld: true, NoSingles: true}
	for v := range verdictCount {
		expect.Equal(t, v.ByOperator(), operator[v], v, "by operator")
	}
	for v, want := range map[Verdict]bool{
		Listed: false, NotPublished: false, AddressUnknown: false, VideoUndated: false, Excluded: true, MetaNoindex: true, PrivateSite: true,
	} {
		expect.Equal(t, v.ByRule(), want, v, "by rule")
	}
}

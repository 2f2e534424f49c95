package seo

import (
	"testing"
)

// What the plugin's SQL leaves out takes no place in its pages, what its PHP drops does.
func TestLateVerdicts(t *testing.T) {
	for rule, want := range map[Verdict]bool{
		Listed: true, NotPublished: false, ZeroDate: false, PasswordProtected: false, ParentHidden: false,
		NotAMember: false, OperatorExcluded: true, FrontPageItself: true, MetaNoindex: true,
		ExternalLink: true, CanonicalElsewhere: true, JobFilled: true, ServicePage: true, LinksElsewhere: true,
	} {
		if got := rule.Late(); got != want {
			t.Errorf("%s: late = %t, want %t", rule, got, want)
		}
	}
	seen := map[string]bool{"": true}
	for rule := range verdictCount {
		if seen[rule.String()] {
			t.Errorf("rule %d is called %q, like another", rule, rule)
		}
		seen[rule.String()] = true
	}
}

package check

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// robotsRules are what a robots.txt says to one crawler, by RFC 9309.
type robotsRules struct {
	sitemaps []string
	rules    []robotsRule
}

type robotsRule struct {
	line, path string
	allow      bool
}

// parseRobots reads a robots.txt for a crawler: the groups of its name, else those for all.
func parseRobots(text, agent string) *robotsRules {
	r := &robotsRules{}
	var own, all []robotsRule
	var agents []string
	named, inRules := false, false
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "sitemap":
			r.sitemaps = append(r.sitemaps, value)
		case "user-agent":
			if inRules {
				agents, inRules = nil, false
			}
			agents = append(agents, strings.ToLower(value))
			named = named || strings.EqualFold(value, agent)
		case "allow", "disallow":
			inRules = true
			if value == "" {
				continue
			}
			rule := robotsRule{strings.TrimSpace(line), value, key == "allow"}
			if slices.Contains(agents, agent) {
				own = append(own, rule)
			}
			if slices.Contains(agents, "*") {
				all = append(all, rule)
			}
		}
	}
	if r.rules = all; named {
		r.rules = own
	}
	return r
}

// forbids returns the line that forbids a URL; "" where none does. The longest path decides, and of two the one that allows.
func (r *robotsRules) forbids(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	path := u.RequestURI()
	var best robotsRule
	for _, rule := range r.rules {
		if matchesRobots(rule.path, path) && (len(rule.path) > len(best.path) || len(rule.path) == len(best.path) && rule.allow) {
			best = rule
		}
	}
	if best.allow {
		return ""
	}
	return best.line
}

// matchesRobots reports whether a path begins with what a rule says, where * stands for any characters and $ for the end.
func matchesRobots(rule, path string) bool {
	rule, whole := strings.CutSuffix(rule, "$")
	form := "^" + strings.ReplaceAll(regexp.QuoteMeta(rule), `\*`, ".*")
	if whole {
		form += "$"
	}
	matches, err := regexp.MatchString(form, path)
	return err == nil && matches
}

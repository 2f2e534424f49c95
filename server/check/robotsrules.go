package check

import (
	"net/url"
	"regexp"
	"strings"
)

// robotsRules holds what a robots.txt says to one crawler (RFC 9309).
type robotsRules struct {
	sitemaps []string
	rules    []robotsRule
}

type robotsRule struct {
	line, path string
	allow      bool
}

// parseRobots reads the rules of a robots.txt for a crawler. If no group names the crawler, it reads the group for all crawlers.
func parseRobots(text, agent string) *robotsRules {
	r, groups := &robotsRules{}, map[string][]robotsRule{}
	var agents []string // the crawlers that the current group names
	inRules := false
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "sitemap":
			r.sitemaps = append(r.sitemaps, value)
		case "user-agent":
			if inRules {
				agents, inRules = nil, false
			}
			name := strings.ToLower(value)
			agents = append(agents, name)
			groups[name] = append([]robotsRule{}, groups[name]...)
		case "allow", "disallow":
			inRules = true
			for _, name := range agents {
				if value != "" {
					groups[name] = append(groups[name], robotsRule{strings.TrimSpace(line), value, key == "allow"})
				}
			}
		}
	}
	if r.rules = groups[agent]; r.rules == nil {
		r.rules = groups["*"]
	}
	return r
}

// forbids returns the line of robots.txt that forbids an address, or "" if the address is allowed. The line with the longest
// matching path decides. If two paths have the same length, the line that allows decides.
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

// matchesRobots reports whether the path of a rule matches the beginning of a path. In a rule, * stands for any characters. A
// $ at the end of a rule means that the whole path must match.
func matchesRobots(rule, path string) bool {
	rule, whole := strings.CutSuffix(rule, "$")
	form := "^" + strings.ReplaceAll(regexp.QuoteMeta(rule), `\*`, ".*")
	if whole {
		form += "$"
	}
	matches, err := regexp.MatchString(form, path)
	return err == nil && matches
}

package provision

import (
	"regexp"
	"slices"

	"wpsitemapd/docs/deploy"
)

// apache describes Apache. Our file for Apache leaves robots.txt to WordPress, so that a location for it does no harm.
func (m *Machine) apache() serverKind {
	return serverKind{
		name: "Apache", command: m.Apache, reload: []string{"-k", "graceful"},
		dump:  append(slices.Clone(m.ApacheProgram), "-t", "-D", "DUMP_INCLUDES", "-D", "DUMP_MODULES"),
		file:  regexp.MustCompile(`(?m)^\s+\((?:\*|\d+)\) (/.+)$`),
		begin: regexp.MustCompile(`(?im)^[ \t]*<VirtualHost\b.*>`),
		own:   ownOfApache,
		root:  regexp.MustCompile(`(?im)^[ \t]*DocumentRoot\s+["']?(/[^"'\n]+?)["']?[ \t\r]*$`),
		hosts: regexp.MustCompile(`(?im)^[ \t]*Server(?:Name|Alias)\s+(.+)$`),
		text:  deploy.ApacheLocations, include: `Include "%s"`,
		folders: []string{"conf-available", "../conf"}, // of Debian, of Fedora
		modules: []string{"headers", "proxy", "proxy_http", "rewrite"},
	}
}

var endOfVirtualHost = regexp.MustCompile(`(?im)^[ \t]*</VirtualHost>`)

// ownOfApache returns the text up to the end of a <VirtualHost> as both results. Directives of inner sections count as its own.
func ownOfApache(body string) (own, whole string) {
	if end := endOfVirtualHost.FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	return body, body
}

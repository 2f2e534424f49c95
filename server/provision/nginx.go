package provision

import (
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/docs/deploy"
)

// nginx describes nginx.
func (m *Machine) nginx() serverKind {
	return serverKind{
		name: "nginx", command: m.Nginx, reload: []string{"-s", "reload"},
		dump: append(slices.Clone(m.Nginx), "-V"), file: regexp.MustCompile(`--conf-path=(/\S+)`), includes: true,
		begin:  regexp.MustCompile(`(?m)^[ \t]*server\s*\{`),
		own:    ownOfNginx,
		root:   regexp.MustCompile(`(?m)(?:^|[;{])[ \t]*root\s+["']?(/[^;"'\n]+?)["']?\s*;`),
		hosts:  regexp.MustCompile(`(?m)(?:^|[;{])[ \t]*server_name\s+([^;]+);`),
		robots: regexp.MustCompile(`(?m)(?:^|[;{}])[ \t]*location\s[^{\n]*/robots\.txt`),
		text:   deploy.NginxLocations, folders: []string{"snippets"}, include: "include %s;",
	}
}

// includedByNginx returns the patterns of the files that a file of nginx's configuration includes.
func includedByNginx(text string) (patterns []string) {
	var directive []string
	for _, token := range nginxToken.FindAllString(text, -1) {
		switch {
		case token[0] == '#':
		case !strings.Contains(";{}", token):
			directive = append(directive, strings.Trim(token, `"'`))
		default:
			if token == ";" && len(directive) == 2 && directive[0] == "include" {
				patterns = append(patterns, directive[1])
			}
			directive = nil
		}
	}
	return patterns
}

// nginxToken matches a comment, a quoted word, an unquoted word, or a sign that ends a directive or begins or ends a block.
var nginxToken = regexp.MustCompile(`#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:\\.|\$\{[^}]*\}|[^\s;{}\\])+|[;{}]`)

// ownOfNginx splits the text after the beginning of a server block. own has the directives of the block without inner blocks,
// and whole is everything up to the last brace of the block.
func ownOfNginx(body string) (own, whole string) {
	depth := 0
	for _, at := range nginxToken.FindAllStringIndex(body, -1) {
		token := body[at[0]:at[1]]
		switch {
		case token == "}" && depth == 0:
			return own, body[:at[0]]
		case token == "}":
			depth--
			token = ";"
		case token == "{":
			depth++
		}
		if depth == 0 && token[0] != '#' {
			own += token + " "
		}
	}
	return own, body
}

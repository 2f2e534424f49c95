package explain

import (
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// ErrAddress marks text that is not a web address.
var ErrAddress = errors.New("not a web address")

// spelled is a web address in the form in which addresses are compared. Two addresses that differ only
// in percent-encoding have the same form.
type spelled struct {
	scheme, host string            // lower case; the host is ASCII and lacks the default port of the scheme
	path         string            // decoded; begins with a slash
	vars         map[string]string // decoded query variables; the last value of a repeated variable
}

// spell parses an absolute web address. Like servers, it accepts any text after the host.
func spell(address string) (spelled, error) {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(address), "://")
	s := spelled{scheme: strings.ToLower(scheme), vars: map[string]string{}}
	if !ok || s.scheme != "http" && s.scheme != "https" {
		return s, errors.New("it has to begin with http:// or https://")
	}
	rest, _, _ = strings.Cut(rest, "#")
	at := strings.IndexAny(rest, "/?")
	if at < 0 {
		at = len(rest)
	}
	s.host, rest = asciiHost(rest[:at], s.scheme), rest[at:]
	if s.host == "" {
		return s, errors.New("it names no host")
	}
	path, query, _ := strings.Cut(rest, "?")
	if s.path = php.RawURLDecode(path); s.path == "" {
		s.path = "/"
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name = php.URLDecode(name); name != "" {
			s.vars[name] = php.URLDecode(value)
		}
	}
	return s, nil
}

// asciiHost returns the ASCII host of an authority, which is the part of an address between scheme and
// path.
func asciiHost(authority, scheme string) string {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ascii, err := weburl.ASCII(host); err == nil {
		return ascii
	}
	return host
}

// likeness says how certainly an address belongs to an object. Higher values are more certain.
type likeness uint8

const (
	unlike     likeness = iota
	named               // the address contains the object's name, but the object has another address
	unopened            // the object would have the address if it were published
	identified          // the query of the address identifies the object
	alike               // the addresses differ only in scheme, host, letter case, final slash or unused query variables
	same                // the addresses are equal but for percent-encoding
)

// like compares s with own, the address of an object. It returns unlike, alike or same. routes reports
// whether WordPress uses a query variable; like ignores the variables that WordPress does not use.
func (s *spelled) like(own *spelled, routes func(name string) bool) likeness {
	if s.scheme == own.scheme && s.host == own.host && s.path == own.path && maps.Equal(s.vars, own.vars) {
		return same
	}
	if !strings.EqualFold(plainPath(s.path), plainPath(own.path)) {
		return unlike
	}
	for name, value := range own.vars {
		if !strings.EqualFold(s.vars[name], value) {
			return unlike
		}
	}
	for name := range s.vars {
		if _, ok := own.vars[name]; !ok && routes(name) {
			return unlike
		}
	}
	return alike
}

func plainPath(path string) string {
	path = strings.Trim(path, "/")
	if path == "index.php" {
		return ""
	}
	return path
}

// below returns the path segments below home, without index.php. ok is false if the address is not
// below home.
func (s *spelled) below(home *spelled) (segments []string, ok bool) {
	path, base := strings.Trim(s.path, "/")+"/", strings.Trim(home.path, "/")+"/"
	if base != "/" {
		if len(path) < len(base) || !strings.EqualFold(path[:len(base)], base) {
			return nil, false
		}
		path = path[len(base):]
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" && (len(segments) > 0 || segment != "index.php") {
			segments = append(segments, segment)
		}
	}
	return segments, true
}

// slugForms returns the forms in which the database may store a path segment. WordPress stores
// non-ASCII characters percent-encoded in lower case. Old versions and imports store them raw.
func slugForms(segment string) []string {
	stored := formatting.StoredSlug(segment)
	if stored == segment {
		return []string{segment}
	}
	return []string{stored, segment}
}

// pathForms returns the forms in which the database may store a whole path: raw and percent-encoded.
func pathForms(segments []string) []string {
	path, encoded := strings.Join(segments, "/"), (&url.URL{Path: strings.Join(segments, "/")}).EscapedPath()
	return slices.Compact([]string{path, encoded})
}

// wordpressVars are the query variables that WordPress itself uses. Types and taxonomies add more.
var wordpressVars = strings.Fields(`m p posts w cat withcomments withoutcomments s search exact sentence calendar page paged more tb pb
	author order orderby year monthnum day hour minute second name category_name tag feed author_name pagename page_id error attachment
	attachment_id subpost subpost_id robots favicon taxonomy term cpage post_type embed rest_route sitemap lang`)

// A view is a URL that shows an object in another way: a part of a post, a page of an archive, a feed,
// comments or an embed.
type view struct {
	rule string
	n    int // number of the part or page
}

// These rules name the kinds of views.
const (
	ruleNoView      = ""
	rulePart        = "part of a post"
	rulePartNoindex = "noindex of later parts"
	rulePagination  = "pagination"
	ruleFeed        = "feed"
	ruleComments    = "page of comments"
	ruleEmbed       = "embed"
)

// An address is a view if its query has one of viewVars or its path ends like one of viewPaths.
var (
	viewVars  = map[string]string{"paged": rulePagination, "page": rulePart, "feed": ruleFeed, "cpage": ruleComments, "embed": ruleEmbed}
	viewPaths = []struct {
		rule string
		form *regexp.Regexp // the last group is the number of the view, if it has one
	}{
		{rulePagination, regexp.MustCompile(`/page/(\d+)/?$`)},
		{ruleFeed, regexp.MustCompile(`(?:/feed)?/(?:feed|rdf|rss2?|atom)/?$`)},
		{ruleComments, regexp.MustCompile(`/comment-page-(\d*)/?$`)},
		{ruleEmbed, regexp.MustCompile(`/(?:embed|trackback)/?$`)},
		{rulePart, regexp.MustCompile(`/([1-9]\d*)/?$`)},
	}
)

// cutView removes the marks of a view from an address. It returns the remaining address and the view.
func (s spelled) cutView() (spelled, view) {
	base := s
	for _, name := range slices.Sorted(maps.Keys(s.vars)) {
		if rule := viewVars[name]; rule != ruleNoView {
			base.vars = maps.Clone(s.vars)
			delete(base.vars, name)
			n, _ := strconv.Atoi(s.vars[name])
			return base, view{rule, n}
		}
	}
	for _, v := range viewPaths {
		if end := v.form.FindStringSubmatch(s.path); end != nil {
			base.path = strings.TrimSuffix(s.path, end[0]) + "/"
			n, _ := strconv.Atoi(end[len(end)-1])
			return base, view{v.rule, n}
		}
	}
	return s, view{}
}

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

// ErrAddress marks what is no web address.
var ErrAddress = errors.New("not a web address")

// spelled is a web address in the form in which addresses are compared: two that differ in
// nothing but percent-encoding are one.
type spelled struct {
	scheme, host string            // lower case; the host in ASCII, without the scheme's own port
	path         string            // decoded; begins with a slash
	vars         map[string]string // query variables, decoded; of a repeated one the last
}

// spell reads an absolute address. Whatever follows the host is accepted, as servers do.
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

// asciiHost returns the host of an authority, the part between the scheme and the path.
func asciiHost(authority, scheme string) string {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ascii, err := weburl.ASCII(host); err == nil {
		return ascii
	}
	return host
}

// likeness is how sure it is that an address is an object's own.
type likeness uint8

const (
	unlike     likeness = iota
	named               // the object has a name in the address, and another address
	unopened            // its own if it were published
	identified          // the query names the object
	alike               // its own but for scheme, host, letter case, a slash at the end or surplus query
	same
)

// like compares an address with an object's own. routes says which query variables mean
// something to WordPress; others count for nothing.
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

// below returns the segments of the path below that of home, without index.php; ok is false
// for an address that is not below it.
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

// slugForms returns the forms in which a segment of a path may be stored: WordPress keeps what is
// not ASCII percent-encoded, in lower case; rows of old versions and imports hold it as it is.
func slugForms(segment string) []string {
	stored := formatting.StoredSlug(segment)
	if stored == segment {
		return []string{segment}
	}
	return []string{stored, segment}
}

// pathForms are the forms in which a path may be stored as a whole.
func pathForms(segments []string) []string {
	path, encoded := strings.Join(segments, "/"), (&url.URL{Path: strings.Join(segments, "/")}).EscapedPath()
	return slices.Compact([]string{path, encoded})
}

// wordpressVars are the query variables WordPress answers to, beside those of types and taxonomies.
var wordpressVars = strings.Fields(`m p posts w cat withcomments withoutcomments s search exact sentence calendar page paged more tb pb
	author order orderby year monthnum day hour minute second name category_name tag feed author_name pagename page_id error attachment
	attachment_id subpost subpost_id robots favicon taxonomy term cpage post_type embed rest_route sitemap lang`)

// view is a page of an object that is no object itself: a part of a post, a page of an archive, a feed.
type view struct {
	rule string
	n    int // number of the part or page
}

// The rules on views.
const (
	ruleNoView      = ""
	rulePart        = "part of a post"
	rulePartNoindex = "noindex of later parts"
	rulePagination  = "pagination"
	ruleFeed        = "feed"
	ruleComments    = "page of comments"
	ruleEmbed       = "embed"
)

// What makes an address a view: a variable of its query, or the end of its path.
var (
	viewVars  = map[string]string{"paged": rulePagination, "page": rulePart, "feed": ruleFeed, "cpage": ruleComments, "embed": ruleEmbed}
	viewPaths = []struct {
		rule string
		form *regexp.Regexp // with the number of the view, if it has one
	}{
		{rulePagination, regexp.MustCompile(`/page/(\d+)/?$`)},
		{ruleFeed, regexp.MustCompile(`(?:/feed)?/(?:feed|rdf|rss2?|atom)/?$`)},
		{ruleComments, regexp.MustCompile(`/comment-page-(\d*)/?$`)},
		{ruleEmbed, regexp.MustCompile(`/(?:embed|trackback)/?$`)},
		{rulePart, regexp.MustCompile(`/([1-9]\d*)/?$`)},
	}
)

// cutView takes what makes an address a view of something off it.
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

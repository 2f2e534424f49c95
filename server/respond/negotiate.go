package respond

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/pages"
)

// chooseCoding picks the content coding of an answer by RFC 9110, 12.5.3: the one with the
// highest weight, of equal ones the smaller body. Without the header a client takes what is
// not encoded; ok is false where it takes nothing there is.
func chooseCoding(accept []string) (coding string, ok bool) {
	if len(accept) == 0 {
		return pages.Identity, true
	}
	weights := parseAccept(accept)
	best, most := "", 0.0
	for _, coding := range []string{pages.Gzipped, pages.Identity} {
		if q := weights.of(coding); q > most {
			best, most = coding, q
		}
	}
	return best, best != ""
}

// codings are the weights of an Accept-Encoding header, for those that are sent and for "*".
type codings struct{ gzip, identity, any given }

// given is a weight, if there is one.
type given struct {
	weight float64
	named  bool
}

// leastWeight is for what is acceptable without being named: everything else is better.
const leastWeight = 1e-9

// of returns the weight of a coding, 0 when it must not be used.
func (c codings) of(coding string) float64 {
	if g := c.place(coding); g != nil && g.named {
		return g.weight
	}
	if c.any.named {
		if coding == pages.Identity { // encoded is better where * allows both
			return min(c.any.weight, leastWeight)
		}
		return c.any.weight
	}
	if coding == pages.Identity {
		return leastWeight
	}
	return 0
}

// place is where the weight of a coding, in lower case, is kept; nil for what is never sent.
func (c *codings) place(coding string) *given {
	switch coding {
	case "gzip", "x-gzip":
		return &c.gzip
	case pages.Identity:
		return &c.identity
	case "*":
		return &c.any
	}
	return nil
}

// parseAccept reads Accept-Encoding. What has a malformed weight is not accepted, for that
// does least harm.
func parseAccept(values []string) (c codings) {
	for rest, more := strings.Join(values, ","), true; more; {
		var part string
		part, rest, more = strings.Cut(rest, ",")
		coding, params, weighted := strings.Cut(part, ";")
		g := c.place(strings.ToLower(strings.TrimSpace(coding)))
		if g == nil {
			continue
		}
		q := 1.0
		if weighted {
			q = weight(params)
		}
		*g = given{max(g.weight, q), true}
	}
	return c
}

// weight reads "q=0.5".
func weight(param string) float64 {
	name, value, _ := strings.Cut(param, "=")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(strings.TrimSpace(name), "q") || len(value) > len("0.000") || strings.Trim(value, "0123456789.") != "" {
		return 0
	}
	q, err := strconv.ParseFloat(value, 64)
	if err != nil || q > 1 {
		return 0
	}
	return q
}

// evaluate decides by the conditions of a GET or HEAD in the order of RFC 9110, 13.2.2:
// 412, 304, or 200 for none that matters. tags are strong ones.
func evaluate(h http.Header, modified time.Time, tags []string) int {
	if v := h.Values("If-Match"); len(v) > 0 {
		var few [4]string
		any, listed := parseTags(few[:0], v)
		// strong comparison: a weak tag is never the same
		if !any && !slices.ContainsFunc(listed, func(tag string) bool { return slices.Contains(tags, tag) }) {
			return http.StatusPreconditionFailed
		}
	} else if since, ok := dateOf(h, "If-Unmodified-Since"); ok && !modified.IsZero() && modified.Truncate(time.Second).After(since) {
		return http.StatusPreconditionFailed
	}
	if v := h.Values("If-None-Match"); len(v) > 0 {
		var few [4]string
		any, listed := parseTags(few[:0], v)
		if any || slices.ContainsFunc(listed, func(tag string) bool { return slices.Contains(tags, strings.TrimPrefix(tag, "W/")) }) {
			return http.StatusNotModified
		}
		return http.StatusOK
	}
	if since, ok := dateOf(h, "If-Modified-Since"); ok && !modified.IsZero() && !modified.Truncate(time.Second).After(since) {
		return http.StatusNotModified
	}
	return http.StatusOK
}

// dateOf reads a header that holds one date, in any of HTTP's three forms.
func dateOf(h http.Header, name string) (time.Time, bool) {
	v := h.Values(name)
	if len(v) != 1 {
		return time.Time{}, false
	}
	t, err := http.ParseTime(v[0])
	return t, err == nil
}

// parseTags appends a list of entity tags to tags, weak ones with their W/, up to where it is
// malformed. any is true for the lone asterisk.
func parseTags(tags, values []string) (any bool, all []string) {
	rest := strings.Join(values, ",")
	if strings.TrimSpace(rest) == "*" {
		return true, tags
	}
	for {
		rest = strings.TrimLeft(rest, " \t,")
		start := 0
		if strings.HasPrefix(rest, "W/") {
			start = 2
		}
		if len(rest) <= start || rest[start] != '"' {
			return false, tags
		}
		end := strings.IndexByte(rest[start+1:], '"')
		if end < 0 {
			return false, tags
		}
		end += start + 2
		tags = append(tags, rest[:end])
		if rest = strings.TrimLeft(rest[end:], " \t"); rest != "" && rest[0] != ',' {
			return false, tags
		}
	}
}

package front

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/pages"
)

// chooseCoding picks the content coding of an answer by RFC 9110, 12.5.3: gzip, unless the client does not name it, refuses it,
// or likes better what is not encoded. What has a malformed weight is not accepted, for that does least harm.
func chooseCoding(accept []string) string {
	gzip, identity, any := -1.0, -1.0, -1.0 // weights, negative where there is none
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, param, weighted := strings.Cut(part, ";")
		q := 1.0
		if weighted {
			q = weight(param)
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "x-gzip":
			gzip = max(gzip, q)
		case "identity":
			identity = max(identity, q)
		case "*":
			any = max(any, q)
		}
	}
	if gzip < 0 {
		gzip = any
	}
	if gzip > 0 && gzip >= identity {
		return pages.Gzipped
	}
	return pages.Identity
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
		any, listed := parseTags(v)
		// strong comparison: a weak tag is never the same
		if !any && !slices.ContainsFunc(listed, func(tag string) bool { return slices.Contains(tags, tag) }) {
			return http.StatusPreconditionFailed
		}
	} else if since, ok := dateOf(h, "If-Unmodified-Since"); ok && !modified.IsZero() && modified.Truncate(time.Second).After(since) {
		return http.StatusPreconditionFailed
	}
	if v := h.Values("If-None-Match"); len(v) > 0 {
		any, listed := parseTags(v)
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

// parseTags reads a list of entity tags, weak ones with their W/, up to where it is malformed. any is true for the lone asterisk.
func parseTags(values []string) (any bool, tags []string) {
	rest := strings.Join(values, ",")
	if strings.TrimSpace(rest) == "*" {
		return true, nil
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

package front

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// acceptsGzip reports whether the Accept-Encoding of a client allows gzip: whether it names gzip or *, and not with a weight of
// 0. A malformed weight counts as 0, which does the least harm.
func acceptsGzip(accept []string) (accepts bool) {
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, weight, weighted := strings.Cut(part, ";")
		accepted := !weighted
		if weighted {
			_, q, _ := strings.Cut(weight, "=")
			number, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			accepted = err == nil && number > 0
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "x-gzip":
			return accepted
		case "*":
			accepts = accepted
		}
	}
	return accepts
}

// notModified reports whether the client of a GET or HEAD has the document already, by RFC 9110, 13.2.2. tags are the entity tags
// of the document, which must be strong and quoted. If the client sends no tag, its date is compared with modified.
func notModified(h http.Header, modified time.Time, tags []string) bool {
	if v := h.Values("If-None-Match"); len(v) > 0 {
		list := strings.Join(v, ",")
		return strings.TrimSpace(list) == "*" || slices.ContainsFunc(tags, func(tag string) bool { return strings.Contains(list, tag) })
	}
	if h.Get("If-Modified-Since") == "" || modified.IsZero() {
		return false
	}
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	return err == nil && !modified.Truncate(time.Second).After(since)
}

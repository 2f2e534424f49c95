package front

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/weburl"
)

const (
	robotsTimeout = 15 * time.Second
	maxRobots     = 512 << 10 // of an upstream, in bytes; Google reads 500 KiB
)

// robotsTexts holds the last robots.txt of each blog's upstream. It is safe for concurrent use.
type robotsTexts struct {
	store   *store.Store // nil: they do not outlive the process
	reading singleflight.Group
	texts   sync.Map // the texts as []byte, by store.Key
}

// forget drops the texts of a site that is no longer in use.
func (t *robotsTexts) forget(of *site.Site) {
	t.texts.Range(func(key, _ any) bool {
		if key.(store.Key).Site == of.Config.Name {
			t.texts.Delete(key)
		}
		return true
	})
}

// serveRobots answers /robots.txt for a blog at the root of its host. It adds a line for each sitemap index. With an upstream,
// it sends the upstream's text. While the upstream is down, it sends the last text it saw. If it saw none, it answers 503,
// because a text of our own could lift the upstream's rules. Without an upstream, it sends the file in the web root. If that
// file does not exist, it sends WordPress' own text. If the text has to name indexes of blogs that were not read yet, the answer
// is 503.
func (h *Handler) serveRobots(rw http.ResponseWriter, r *http.Request, of *site.Site, b *site.Blog) {
	if awaitsBlogs(of.Snapshot(), b) {
		sendLater(rw, r, http.StatusServiceUnavailable, retryLater, "Not every blog of this network has been read yet.")
		return
	}
	if of.Upstream != nil {
		h.serveUpstreamRobots(rw, r, of, b)
		return
	}
	text, err := h.robotsFile(r.Context(), of, b)
	switch {
	case err == nil:
		sendRobots(rw, r, amendedRobots(of, b, text))
	case r.Context().Err() != nil:
	case !errors.Is(err, fs.ErrNotExist):
		of.Log.Warn("robots.txt of the web root cannot be read, and is answered with 503", "reason", err,
			"hint", "let the web server serve it, as the files in docs/deploy do, or let the daemon's user read it")
		robotsUnavailable(rw, r)
	case b.Plain: // without permalinks, WordPress has no robots.txt
		pass(rw, r, of)
	default:
		sendRobots(rw, r, amendedRobots(of, b, []byte(b.RobotsText)))
	}
}

func (h *Handler) serveUpstreamRobots(rw http.ResponseWriter, r *http.Request, of *site.Site, b *site.Blog) {
	ctx, cancel := context.WithTimeout(r.Context(), h.RobotsTimeout)
	defer cancel()
	var text []byte
	resp, err := of.Upstream.Get(ctx, r)
	if err == nil {
		defer resp.Body.Close()
		text, err = io.ReadAll(io.LimitReader(resp.Body, maxRobots+1))
	}
	if err == nil && resp.StatusCode >= 200 && resp.StatusCode < 500 { // a status below 200 is not a final answer
		h.passRobots(rw, r, resp, text, of, b)
		return
	}
	kept, seen := h.keptRobots(of, b)
	switch {
	case r.Context().Err() != nil:
	case seen:
		sendRobots(rw, r, amendedRobots(of, b, kept))
	default:
		of.Log.Warn("upstream does not answer for robots.txt, and no earlier text of the file is known", "upstream", of.Config.Upstream.String(),
			"reason", err, "hint", "check that the PHP site runs and that upstream is right")
		robotsUnavailable(rw, r)
	}
}

func robotsUnavailable(rw http.ResponseWriter, r *http.Request) {
	sendLater(rw, r, http.StatusServiceUnavailable, upstreamRetry, "robots.txt is temporarily unavailable.")
}

// robotsFile returns the robots.txt in the web root of a blog. Requests at the same time share one read of the file.
func (h *Handler) robotsFile(ctx context.Context, of *site.Site, b *site.Blog) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, h.RobotsTimeout)
	defer cancel()
	roots := b.WebRoots
	read := h.robots.reading.DoChan(strings.Join(append([]string{of.Config.Name}, roots...), "\n"), func() (any, error) {
		text, _, err := site.ReadRobots(roots, of.Config.Within)
		return text, err
	})
	select {
	case r := <-read:
		text, _ := r.Val.([]byte)
		return text, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// amendedRobots adds sitemap indexes to a robots.txt: the blog's own index, and the indexes of the blogs that share its host. It
// removes lines that name an index of the blog that is not served.
func amendedRobots(of *site.Site, b *site.Blog, text []byte) []byte {
	plugin := b.Address.Plugin
	text = withoutSitemap(text, b.Home+"/"+plugin.OtherIndex)
	if b.Outline.Chosen {
		for _, file := range seo.IndexFiles {
			if file != b.URLs().File(seo.IndexName, 1, 1) {
				text = withoutSitemap(text, b.Home+"/"+file)
			}
		}
	}
	plugins := []*seo.Plugin{plugin} // each plugin has its own place for its lines
	lines := map[*seo.Plugin][]string{}
	if !unnamed(b) {
		lines[plugin] = []string{b.URL(seo.IndexName, 1)}
	}
	state := of.Snapshot()
	for _, id := range b.Robots {
		for _, other := range state.Of(id) {
			if !other.Known() || other.Apart || !other.Active() || unnamed(other) {
				continue
			}
			p := other.Address.Plugin
			if !slices.Contains(plugins, p) {
				plugins = append(plugins, p)
			}
			if line := other.URL(seo.IndexName, 1); !slices.Contains(lines[p], line) {
				lines[p] = append(lines[p], line)
			}
		}
	}
	for _, p := range plugins {
		text = amendRobots(text, lines[p], p)
	}
	return text
}

// awaitsBlogs reports whether robots.txt of b has to name the index of a blog that nobody has tried to read yet.
func awaitsBlogs(now *site.Snapshot, b *site.Blog) bool {
	return !now.FromStateOnly() && slices.ContainsFunc(b.Robots, func(id int64) bool {
		return slices.ContainsFunc(now.Of(id), func(other *site.Blog) bool { return !other.Known() && !other.Unreadable && other.Failed() == nil })
	})
}

// unnamed reports whether robots.txt must not name the index of a blog.
func unnamed(b *site.Blog) bool {
	return b.Outline.NotInRobots || b.Address.Plugin.PrivateUnnamed && b.Outline.Private
}

// robotsKey is the key in the store of the last robots.txt of a blog's upstream.
func robotsKey(of *site.Site, b *site.Blog) store.Key {
	return store.Key{Site: of.Config.Name, Blog: b.Key(), Name: store.RobotsName}
}

// isPlain reports whether the answer to a request for robots.txt is the same for everybody, so that it may be kept for other
// requests. The request must have the blog's own host, because many sites build their URLs from the host of the request.
func isPlain(r *http.Request, of *site.Site, b *site.Blog) bool {
	for _, name := range []string{"Cookie", "Authorization", "X-Original-Url", "X-Rewrite-Url"} { // WordPress takes the last two for the address
		if r.Header[name] != nil {
			return false
		}
	}
	home := url.URL{Host: weburl.Authority(b.Home)}
	hosts := []string{weburl.HostOf(b.Home)}
	for _, h := range of.Config.HostNames() {
		hosts = append(hosts, string(h))
	}
	for _, host := range append([]string{r.Host}, r.Header["X-Forwarded-Host"]...) {
		asked := url.URL{Host: host}
		if !slices.Contains(hosts, asked.Hostname()) || !slices.Contains([]string{"", "80", "443", home.Port()}, asked.Port()) {
			return false
		}
	}
	return !strings.Contains(route.URI(r), "?")
}

// keepRobots keeps a robots.txt of the upstream in memory and in the store.
func (h *Handler) keepRobots(of *site.Site, b *site.Blog, text []byte) {
	key := robotsKey(of, b)
	before, known := h.robots.texts.Swap(key, text)
	if h.robots.store == nil || known && bytes.Equal(before.([]byte), text) {
		return
	}
	sum := sha256.Sum256(text)
	h.robots.store.SavePage(&store.PageRecord{Key: key, Hash: hex.EncodeToString(sum[:12]), Built: h.Now(), Body: text})
}

// keptRobots returns the last robots.txt of the upstream, also one that an earlier process saved. ok is false if there is none.
func (h *Handler) keptRobots(of *site.Site, b *site.Blog) (text []byte, ok bool) {
	key := robotsKey(of, b)
	if kept, ok := h.robots.texts.Load(key); ok {
		return kept.([]byte), true
	}
	if h.robots.store == nil {
		return nil, false
	}
	page := h.robots.store.Page(key)
	if page == nil {
		return nil, false
	}
	h.robots.texts.Store(key, page.Body)
	return page.Body, true
}

// passRobots sends the upstream's answer to the client. If the answer is a robots.txt (200, text/plain, not too long),
// passRobots adds our sitemaps and keeps the original text.
func (h *Handler) passRobots(rw http.ResponseWriter, r *http.Request, resp *http.Response, text []byte, of *site.Site, b *site.Blog) {
	proxy.DropHops(resp.Header)
	header := rw.Header()
	for name, values := range resp.Header {
		if name != "Content-Length" {
			header[name] = values
		}
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && media == "text/plain" && resp.Header.Get("Content-Encoding") == "" && len(text) <= maxRobots {
		if isPlain(r, of, b) {
			h.keepRobots(of, b, text)
		}
		if amended := amendedRobots(of, b, text); !bytes.Equal(amended, text) {
			text = amended
			for _, name := range []string{"Etag", "Last-Modified", "Content-Md5", "Digest", "Accept-Ranges"} {
				header.Del(name)
			}
		}
	}
	rw.WriteHeader(resp.StatusCode)
	if r.Method != http.MethodHead {
		rw.Write(text)
		io.Copy(rw, resp.Body) // the rest of a text that is too long for a robots.txt
	}
}

func sendRobots(rw http.ResponseWriter, r *http.Request, text []byte) {
	sendPage(rw, r, pages.NewPage(text), http.Header{"Content-Type": {textType}, "X-Robots-Tag": {noindex}})
}

// amendRobots returns a robots.txt that holds each of the sitemaps in exactly one line. Everything else stays as it is. A
// missing line goes where the plugin would have put it. If there is no such place, it goes to the end of the text, after an
// empty line.
func amendRobots(text []byte, sitemaps []string, plugin *seo.Plugin) []byte {
	seen := map[string]bool{}
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		value, ok := sitemapLine(line)
		if ok && slices.Contains(sitemaps, value) {
			if seen[value] {
				continue
			}
			seen[value] = true
		}
		b.Write(line)
	}
	ending := "\n"
	if before, _, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasSuffix(before, []byte("\r")) {
		ending = "\r\n"
	}
	var missing strings.Builder
	for _, s := range sitemaps {
		if !seen[s] {
			missing.WriteString("Sitemap: " + s + ending)
		}
	}
	kept, lines := b.Bytes(), missing.String()
	if lines == "" {
		return kept
	}
	insert := func(i int, lines string) []byte { return slices.Concat(kept[:i], []byte(lines), kept[i:]) }
	if i, ok := findLine(kept, plugin.RobotsAnchor); ok {
		return insert(i, lines+strings.ReplaceAll(plugin.RobotsGap, "\n", ending))
	}
	switch {
	case len(bytes.TrimPrefix(kept, []byte("\ufeff"))) == 0:
	case kept[len(kept)-1] != '\n':
		lines = ending + ending + lines
	default:
		lines = ending + lines
	}
	return insert(len(kept), lines)
}

// withoutSitemap removes the Sitemap lines for an address, with http or https. It is for an index that WordPress names although
// that index is not served here.
func withoutSitemap(text []byte, address string) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		if value, ok := sitemapLine(line); !ok || !sameButScheme(value, address) {
			b.Write(line)
		}
	}
	return b.Bytes()
}

func sameButScheme(a, b string) bool {
	_, a, _ = strings.Cut(a, "://")
	_, b, _ = strings.Cut(b, "://")
	return a == b
}

// findLine returns the index of the first occurrence of text in in, or -1. It also reports whether that occurrence begins a
// line.
func findLine(in []byte, text string) (int, bool) {
	i := bytes.Index(in, []byte(text))
	return i, i == 0 || i > 0 && in[i-1] == '\n'
}

// sitemapLine returns the value of a line, and whether the line is a Sitemap line.
func sitemapLine(line []byte) (string, bool) {
	text, _, _ := strings.Cut(string(line), "#")
	key, value, ok := strings.Cut(text, ":")
	key = strings.TrimSpace(strings.TrimPrefix(key, "\ufeff"))
	return strings.TrimSpace(value), ok && strings.EqualFold(key, "sitemap")
}

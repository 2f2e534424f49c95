// Package videos finds what plays in stored post content: players of providers, video elements, blocks and shortcodes. It is
// pure, as package content is.
package videos

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/content"
	"wpsitemapd/wp/php"

	markup "golang.org/x/net/html"
)

// maxVideos bounds the videos of one content; no page has so many players.
const maxVideos = 200

// Video is a video that content shows.
type Video struct {
	Provider        string // youtube, vimeo, wistia or videopress; "" for a file
	ID              string // the provider's
	Address, Player string // the page of the video at its provider, and what an iframe shows
	// Thumbnail is the picture whose address the provider derives from the id, "" for none.
	Thumbnail string

	File, Poster string // addresses as written, references decoded; "" for none
	AttachmentID int64  // of the file, 0 when the content does not say
	Title        string // of the player's frame, "" for none; those that all videos of a provider have are none
}

// Find finds what plays in raw content, in document order and each once: players in iframes and in the elements of
// Wistia, video elements, embed and video blocks, the shortcodes [embed], [video] and those Jetpack has for a provider,
// and addresses on lines of their own, which WordPress embeds. Links, comments, scripts and styles are ignored.
func Find(text string) []Video {
	if !mayHoldVideo(text) {
		return nil
	}
	s := scanner{seen: map[string]bool{}}
	s.scan(text)
	return s.found
}

// videoSigns are texts of which content with a video has at least one. Most content has none and is not parsed.
var videoSigns = []string{
	"<video", "<iframe", "[video", "[wpvideo", "wp:video", "youtu", "vimeo", "wistia", "wi.st", "videopress", "video.wordpress.com",
}

func mayHoldVideo(s string) bool {
	lower := strings.ToLower(s)
	return slices.ContainsFunc(videoSigns, func(sign string) bool { return strings.Contains(lower, sign) })
}

type scanner struct {
	found []Video
	seen  map[string]bool

	open     bool  // within a video element
	video    Video // that element's
	block    int64 // attachment of the video block that is open
	linked   int   // links that are open
	lineEdge bool  // an address may follow here alone on its line
}

func (s *scanner) scan(text string) {
	z := markup.NewTokenizer(strings.NewReader(text))
	s.lineEdge = true
	var pending string // text whose last line may go on behind an inline tag
	flush := func(edge bool) {
		s.text(pending, s.lineEdge, edge)
		pending = ""
	}
	for len(s.found) < maxVideos {
		switch z.Next() {
		case markup.ErrorToken:
			flush(true)
			s.endVideo()
			return
		case markup.TextToken:
			pending += string(z.Raw())
		case markup.CommentToken:
			flush(true)
			s.comment(strings.TrimSpace(string(z.Text())))
			s.lineEdge = true
		case markup.StartTagToken, markup.SelfClosingTagToken:
			token := z.Token()
			attrs := map[string]string{}
			for _, a := range slices.Backward(token.Attr) { // the first of each name counts
				attrs[a.Key] = a.Val
			}
			flush(false)
			s.lineEdge = token.Data == "p" || token.Data == "div"
			s.start(token.Data, attrs)
		case markup.EndTagToken:
			tag := z.Token().Data
			flush(tag == "p" || tag == "div")
			s.lineEdge = false
			s.end(tag)
		default:
			flush(false)
			s.lineEdge = false
		}
	}
}

func (s *scanner) start(name string, attrs map[string]string) {
	switch name {
	case "video":
		s.endVideo()
		s.open, s.video = true, Video{File: attrs["src"], Poster: attrs["poster"], AttachmentID: s.block}
		s.block = 0
	case "source":
		if kind := attrs["type"]; s.open && s.video.File == "" && (kind == "" || strings.HasPrefix(strings.ToLower(kind), "video/")) {
			s.video.File = attrs["src"]
		}
	case "iframe", "embed":
		for _, key := range []string{"src", "data-src", "data-lazy-src", "data-litespeed-src"} { // the others of lazy loaders
			if v, ok := ParseAddress(attrs[key]); ok {
				v.Title = frameTitle(attrs["title"])
				s.add(v)
				break
			}
		}
	case "a":
		s.linked++
	case "div", "span":
		for class := range strings.FieldsSeq(attrs["class"]) {
			if id, ok := strings.CutPrefix(class, "wistia_async_"); ok {
				if v, ok := Of("wistia", id); ok {
					s.add(v)
				}
			}
		}
	}
}

// frameTitles are titles of frames that say nothing of the video.
var frameTitles = []string{
	"youtube video player", "youtube video", "youtube player", "vimeo-player", "vimeo video player", "vimeo video", "videopress video player",
	"wistia video player", "wistia_embed", "video player", "embedded video", "video",
}

// frameTitle returns the title of a frame as that of its video.
func frameTitle(title string) string {
	title = strings.TrimSpace(title)
	if len(title) > content.MaxSrc || slices.Contains(frameTitles, strings.ToLower(title)) {
		return ""
	}
	return title
}

// Embed reads what WordPress has kept of a provider's answer (oEmbed) about one video: the video, with the title of its
// frame. Where the provider derives no picture from the id, the first one in the answer shows the video.
func Embed(answer string) (Video, bool) {
	found := Find(answer)
	if len(found) != 1 || found[0].Provider == "" {
		return Video{}, false
	}
	v := found[0]
	if v.Thumbnail == "" {
		if images := content.AppendImages(nil, answer); len(images) > 0 {
			v.Thumbnail = strings.Clone(images[0].Src)
		}
	}
	return v, true
}

func (s *scanner) end(name string) {
	switch name {
	case "video":
		s.endVideo()
	case "a":
		s.linked = max(s.linked-1, 0)
	}
}

func (s *scanner) endVideo() {
	if s.open {
		s.open = false
		s.add(s.video)
		s.video = Video{}
	}
}

// add takes a video, unless it is there already or leads nowhere.
func (s *scanner) add(v Video) {
	v.File, v.Poster = strings.TrimSpace(v.File), strings.TrimSpace(v.Poster)
	if p, ok := ParseAddress(v.File); ok {
		p.Poster = v.Poster
		v = p
	}
	if len(v.File) > content.MaxSrc || len(v.Poster) > content.MaxSrc || strings.HasPrefix(v.File, "blob:") || strings.HasPrefix(v.File, "data:") {
		return
	}
	key := v.Provider + " " + v.ID
	switch {
	case v.Provider != "":
	case v.File != "":
		key = "file " + v.File
	case v.AttachmentID > 0:
		key = "attachment " + strconv.FormatInt(v.AttachmentID, 10)
	default:
		return
	}
	if !s.seen[key] {
		s.seen[key] = true
		s.found = append(s.found, v)
	}
}

// comment reads the delimiter of a block.
func (s *scanner) comment(text string) {
	name, ok := strings.CutPrefix(text, "wp:")
	if !ok {
		if text == "/wp:video" {
			s.block = 0
		}
		return
	}
	name, attrs, _ := strings.Cut(name, " ")
	var block struct {
		ID                       int64
		URL, GUID, Title, Poster string
	}
	_ = json.NewDecoder(strings.NewReader(attrs)).Decode(&block) // what cannot be read is not set, as for WordPress
	switch name = strings.TrimPrefix(name, "core/"); {
	case name == "video":
		s.block = block.ID
	case name == "embed", strings.HasPrefix(name, "core-embed/"):
		if v, ok := ParseAddress(block.URL); ok {
			s.add(v)
		}
	case name == "videopress/video", name == "jetpack/videopress":
		if v, ok := Of("videopress", block.GUID); ok {
			v.Title, v.Poster = block.Title, block.Poster
			s.add(v)
		}
	}
}

// inText finds an address alone on its line, which WordPress embeds, and a shortcode of WordPress or of Jetpack for a provider with
// its attributes and what it encloses. One in double brackets stays text.
var inText = regexp.MustCompile(`(?m)^[ \t]*(https?://[^\s<>"\[\]\x00]+)[ \t\r]*$|` +
	`(\[?)\[(embed|video|youtube|vimeo|wpvideo|videopress|wistia)([^\w\]-][^\]]*)?\](?:([^\[]*)\[/)?`)

// text searches the text between two tags; first and last report whether its first and its last line are complete.
func (s *scanner) text(text string, first, last bool) {
	if s.linked > 0 {
		return
	}
	const more = "\x00" // the line goes on
	if !first {
		text = more + text
	}
	if !last {
		text += more
	}
	for _, m := range inText.FindAllStringSubmatch(text, -1) {
		switch address, doubled, name := m[1], m[2] != "", m[3]; {
		case len(s.found) >= maxVideos:
			return
		case address != "":
			s.addAddress(address)
		case !doubled:
			s.shortcode(name, markup.UnescapeString(m[4]), m[5])
		}
	}
}

// addAddress adds the video at an address, with references as in text, if there is one.
func (s *scanner) addAddress(address string) bool {
	v, ok := ParseAddress(markup.UnescapeString(address))
	if ok {
		s.add(v)
	}
	return ok
}

// videoFiles are the attributes [video] takes a file from, in its order.
var videoFiles = []string{"src", "mp4", "m4v", "webm", "ogv", "flv", "wmv", "mov"}

func (s *scanner) shortcode(name, text, inner string) {
	named := content.Attributes(text)
	switch name {
	case "video":
		v := Video{Poster: named["poster"]}
		v.AttachmentID = php.NewString(named["id"]).Int()
		for _, key := range videoFiles {
			if v.File = strings.TrimSpace(named[key]); v.File != "" {
				break
			}
		}
		s.add(v)
	case "embed":
		if !s.addAddress(inner) {
			s.addAddress(named["src"])
		}
	default:
		values := []string{named["url"], named["src"], named["id"], named["video"]}
		for field := range strings.FieldsSeq(strings.TrimLeft(strings.TrimSpace(text), "=")) {
			values = append(values, strings.Trim(field, `"'`))
		}
		for _, value := range append(values, strings.TrimSpace(inner)) {
			if s.addAddress(value) {
				return
			}
			if v, ok := Of(name, value); ok {
				s.add(v)
				return
			}
		}
	}
}

// ParseAddress reads the address of a video, of its player or of its page, at a provider.
// The scheme may be missing before "//"; references have to be decoded.
func ParseAddress(address string) (Video, bool) {
	address = strings.TrimSpace(address)
	if len(address) > content.MaxSrc {
		return Video{}, false
	}
	if strings.HasPrefix(address, "//") {
		address = "https:" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return Video{}, false
	}
	host := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), "m.")
	place, query := host+"/"+strings.Trim(u.Path, "/"), u.Query()
	for _, a := range addresses {
		m := a.form.FindStringSubmatch(place)
		switch {
		case m == nil:
		case a.provider == "vimeo" && len(m) == 3:
			return unlisted(m[1], m[2])
		case a.provider == "vimeo":
			return unlisted(m[1], query.Get("h"))
		case a.variable != "":
			return Of(a.provider, query.Get(a.variable))
		default:
			return Of(a.provider, m[1])
		}
	}
	return Video{}, false
}

// addresses are the addresses at which providers show videos: host and path, without www. and m. before, and the id in that
// or in a variable of the query. The first that matches counts.
var addresses = []struct {
	provider string
	form     *regexp.Regexp
	variable string
}{
	{"youtube", regexp.MustCompile(`^youtu\.be/([^/]*)`), ""},
	{"youtube", regexp.MustCompile(`^(?:music\.)?youtube(?:-nocookie)?\.com/(?:embed|v|e|shorts|live)/([^/]*)`), ""},
	{"youtube", regexp.MustCompile(`^(?:music\.)?youtube(?:-nocookie)?\.com/watch(?:/|$)`), "v"},
	{"vimeo", regexp.MustCompile(`^vimeo\.com/(\d+)/([^/]+)$`), ""},
	{"", regexp.MustCompile(`^(?:player\.)?vimeo\.com/((?:event|showcase|ondemand)(?:/|$))`), ""}, // of several videos
	{"vimeo", regexp.MustCompile(`^(?:player\.)?vimeo\.com/(?:.*/)?([^/]+)$`), ""},
	{"wistia", regexp.MustCompile(`^(?:wi\.st|(?:[^/]+\.)?wistia\.(?:com|net))/(?:.+/)?(?:medias|iframe)/([^/.]*)[^/]*$`), ""},
	{"videopress", regexp.MustCompile(`^(?:videopress\.com|video\.wordpress\.com)/(?:v|embed)/([^/]*)`), ""},
}

// Of returns the video of an id at a provider; false when the id can be none there.
func Of(provider, id string) (Video, bool) {
	p, ok := providers[provider]
	if !ok {
		return Video{}, false
	}
	m := p.id.FindStringSubmatch(id)
	if m == nil || m[1] == "videoseries" || m[1] == "live_stream" { // players of no video in particular
		return Video{}, false
	}
	fill := func(form string) string { return strings.ReplaceAll(form, "ID", m[1]) }
	return Video{Provider: p.name, ID: m[1], Address: fill(p.address), Player: fill(p.player), Thumbnail: fill(p.thumbnail)}, true
}

// providers are the forms of ids, and the addresses that are made of one, by the names of providers and of their shortcodes.
var providers = func() map[string]provider {
	all := map[string]provider{
		"youtube": {"youtube", regexp.MustCompile(`^([\w-]{11})(?:&|$)`), "https://www.youtube.com/watch?v=ID",
			"https://www.youtube.com/embed/ID", "https://i.ytimg.com/vi/ID/hqdefault.jpg"},
		"vimeo": {"vimeo", number, "https://vimeo.com/ID", "https://player.vimeo.com/video/ID", ""},
		"wistia": {"wistia", regexp.MustCompile(`^([\w-]{10})$`), "https://fast.wistia.net/embed/iframe/ID",
			"https://fast.wistia.net/embed/iframe/ID", ""},
		"videopress": {"videopress", regexp.MustCompile(`^([\w-]{8})$`), "https://videopress.com/v/ID", "https://videopress.com/embed/ID", ""},
	}
	all["wpvideo"] = all["videopress"]
	return all
}()

type provider struct {
	name                       string
	id                         *regexp.Regexp
	address, player, thumbnail string // ID stands for the id
}

var (
	number = regexp.MustCompile(`^(\d{1,20})$`)
	hash   = regexp.MustCompile(`^[\w-]{1,40}$`)
)

// unlisted returns the video of an id at Vimeo. The address of an unlisted video has a second part.
func unlisted(id, second string) (Video, bool) {
	v, ok := Of("vimeo", id)
	if ok && hash.MatchString(second) {
		v.Address += "/" + second
		v.Player += "?h=" + second
	}
	return v, ok
}

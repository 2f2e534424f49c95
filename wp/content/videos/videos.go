// Package videos finds the videos in stored post content: players of providers, video elements, blocks and
// shortcodes. Like package content it uses no database and no clock.
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

// maxVideos is how many videos of one content are found at most. No page has so many players.
const maxVideos = 200

// Video is a video that content shows, at a provider or as a file.
type Video struct {
	Provider        string // youtube, vimeo, wistia or videopress; "" for a file
	ID              string // the id of the video at its provider
	Address, Player string // the page of the video at its provider, and the address for an iframe
	// Thumbnail is the address of a picture that the provider derives from the id, or "".
	Thumbnail string

	File, Poster string // addresses as written, with references decoded; "" if there is none
	AttachmentID int64  // the attachment of the file; 0 if the content does not say
	Title        string // the title of the player's frame; "" if it has none or only a general one
}

// Find returns the videos of raw content in document order, each of them once. It finds players in iframes and in
// Wistia's elements, video elements, and embed and video blocks. It finds the shortcodes [embed], [video] and
// those of Jetpack for a provider. It finds addresses on lines of their own, which WordPress embeds.
//
// Find ignores links, comments, scripts and styles.
func Find(text string) []Video {
	if !mayHoldVideo(text) {
		return nil
	}
	s := scanner{seen: map[string]bool{}}
	s.scan(text)
	return s.found
}

// videoSigns holds texts. Content with a video contains at least one of them. Most content contains none and is
// not parsed.
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

	open     bool  // a video element is open
	video    Video // the video of the open element
	block    int64 // the attachment of the open video block
	linked   int   // how many links are open
	lineEdge bool  // the text that follows starts a line, so that an address may be alone on it
}

func (s *scanner) scan(text string) {
	z := markup.NewTokenizer(strings.NewReader(text))
	s.lineEdge = true
	var pending string // text whose last line may continue after an inline tag
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
			for _, a := range slices.Backward(token.Attr) { // the first attribute of each name counts
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
		for _, key := range []string{"src", "data-src", "data-lazy-src", "data-litespeed-src"} { // plugins that load frames late use the data attributes
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

// frameTitles holds titles of frames that say nothing about the video.
var frameTitles = []string{
	"youtube video player", "youtube video", "youtube player", "vimeo-player", "vimeo video player", "vimeo video", "videopress video player",
	"wistia video player", "wistia_embed", "video player", "embedded video", "video",
}

// frameTitle returns the title of a frame, trimmed. It returns "" if the title is too long or says nothing about
// the video.
func frameTitle(title string) string {
	title = strings.TrimSpace(title)
	if len(title) > content.MaxSrc || slices.Contains(frameTitles, strings.ToLower(title)) {
		return ""
	}
	return title
}

// Embed returns the one video in a provider's answer (oEmbed) that WordPress has stored. The video has the title
// of its frame. If the provider derives no picture from the id, the thumbnail is the first image of the answer.
//
// Embed returns false if the answer does not hold exactly one video of a provider.
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

// add adds a video, unless it is known already or has no usable address.
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

// comment reads a comment that may be the delimiter of a block.
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
	_ = json.NewDecoder(strings.NewReader(attrs)).Decode(&block) // WordPress also leaves unset what it cannot read
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

// inText matches an address alone on its line, which WordPress embeds. It also matches a shortcode of WordPress,
// or of Jetpack for a provider, with its attributes and the text it encloses. A shortcode in double brackets is
// only text.
var inText = regexp.MustCompile(`(?m)^[ \t]*(https?://[^\s<>"\[\]\x00]+)[ \t\r]*$|` +
	`(\[?)\[(embed|video|youtube|vimeo|wpvideo|videopress|wistia)([^\w\]-][^\]]*)?\](?:([^\[]*)\[/)?`)

// text searches the text between two tags. first and last report whether its first and its last line are complete.
func (s *scanner) text(text string, first, last bool) {
	if s.linked > 0 {
		return
	}
	const more = "\x00" // marks a line that is not complete
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

// addAddress adds the video at an address and reports whether there is one. References in the address are not yet
// decoded.
func (s *scanner) addAddress(address string) bool {
	v, ok := ParseAddress(markup.UnescapeString(address))
	if ok {
		s.add(v)
	}
	return ok
}

// videoFiles holds the attributes from which [video] takes its file. The first one that is set counts.
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

// ParseAddress returns the video at an address, which may be the address of its page or of its player at a
// provider. The address may begin with "//", without a scheme. Its references must be decoded. ParseAddress
// returns false if no provider has this address.
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

// addresses holds the forms of the addresses at which providers show videos. A form matches the host, without www.
// or m., and the path. The id is a group of the form or the value of a query variable. The first form that matches
// counts.
var addresses = []struct {
	provider string
	form     *regexp.Regexp
	variable string
}{
	{"youtube", regexp.MustCompile(`^youtu\.be/([^/]*)`), ""},
	{"youtube", regexp.MustCompile(`^(?:music\.)?youtube(?:-nocookie)?\.com/(?:embed|v|e|shorts|live)/([^/]*)`), ""},
	{"youtube", regexp.MustCompile(`^(?:music\.)?youtube(?:-nocookie)?\.com/watch(?:/|$)`), "v"},
	{"vimeo", regexp.MustCompile(`^vimeo\.com/(\d+)/([^/]+)$`), ""},
	{"", regexp.MustCompile(`^(?:player\.)?vimeo\.com/((?:event|showcase|ondemand)(?:/|$))`), ""}, // such an address shows several videos
	{"vimeo", regexp.MustCompile(`^(?:player\.)?vimeo\.com/(?:.*/)?([^/]+)$`), ""},
	{"wistia", regexp.MustCompile(`^(?:wi\.st|(?:[^/]+\.)?wistia\.(?:com|net))/(?:.+/)?(?:medias|iframe)/([^/.]*)[^/]*$`), ""},
	{"videopress", regexp.MustCompile(`^(?:videopress\.com|video\.wordpress\.com)/(?:v|embed)/([^/]*)`), ""},
}

// Of returns the video with an id at a provider. It returns false if the provider is unknown or cannot have this
// id.
func Of(provider, id string) (Video, bool) {
	p, ok := providers[provider]
	if !ok {
		return Video{}, false
	}
	m := p.id.FindStringSubmatch(id)
	if m == nil || m[1] == "videoseries" || m[1] == "live_stream" { // these players show no particular video
		return Video{}, false
	}
	fill := func(form string) string { return strings.ReplaceAll(form, "ID", m[1]) }
	return Video{Provider: p.name, ID: m[1], Address: fill(p.address), Player: fill(p.player), Thumbnail: fill(p.thumbnail)}, true
}

// providers holds the form of ids and the forms of addresses for each provider. Its keys are the names of the providers
// and of their shortcodes.
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
	address, player, thumbnail string // templates in which ID stands for the id
}

var (
	number = regexp.MustCompile(`^(\d{1,20})$`)
	hash   = regexp.MustCompile(`^[\w-]{1,40}$`)
)

// unlisted returns the video with an id at Vimeo. The address of an unlisted video has a second part behind the id.
// second is this part, or "".
func unlisted(id, second string) (Video, bool) {
	v, ok := Of("vimeo", id)
	if ok && hash.MatchString(second) {
		v.Address += "/" + second
		v.Player += "?h=" + second
	}
	return v, ok
}

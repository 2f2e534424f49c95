package video

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/content/videos"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
)

// A Reader reads posts with their videos. It is the content of the video list.
type Reader struct {
	Rules *seo.Rules
	addOn AddOn
	types []string // the post types whose videos are listed
}

// NewReader returns a Reader of posts of some types. It also uses the data that an add-on has stored.
func NewReader(r *seo.Rules, a AddOn, types []string) *Reader { return &Reader{r, a, types} }

// key identifies a video by its provider and id.
func key(v videos.Video) string { return v.Provider + " " + v.ID }

// post is a post with its videos.
type post struct {
	*address.FullPost
	stored     Stored
	mentions   []videos.Video          // videos in the content
	embeds     map[string]videos.Video // stored answers of providers about these videos, by key
	videos     []urlset.Video          // complete videos, which can be listed
	incomplete []incomplete            // videos that are left out
}

// incomplete is a video that is left out, because it lacks something that Google requires.
type incomplete struct {
	address string
	lacks   seo.Verdict
}

// posts reads posts with their videos. The video that the add-on has stored is the first. The videos in
// the content follow; one that is the stored video or a repetition is skipped.
func (c *Reader) posts(ctx context.Context, ids []int64) ([]*post, error) {
	mentions := map[int64][]videos.Video{}
	read, err := c.Rules.Book.FullPosts(ctx, ids, c.addOn.Keys(), func(p *address.FullPost, text string) {
		if found := videos.Find(text); len(found) > 0 {
			mentions[p.ID] = found
		}
	})
	if err != nil {
		return nil, err
	}
	posts := make([]*post, len(read))
	for i, p := range read {
		posts[i] = &post{FullPost: p, mentions: mentions[p.ID], stored: c.addOn.Post(c, p)}
	}
	if err := c.embedsOf(ctx, posts); err != nil {
		return nil, err
	}
	m, err := c.readMedia(ctx, posts)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		if p.stored.Against == seo.Listed {
			c.compose(p, m)
		}
	}
	return posts, nil
}

// embedsOf reads the stored answers of video providers about the videos of posts.
func (c *Reader) embedsOf(ctx context.Context, posts []*post) error {
	byID := map[int64]*post{}
	var ids []int64
	for _, p := range posts {
		if slices.ContainsFunc(p.mentions, func(v videos.Video) bool { return v.Provider != "" }) {
			byID[p.ID], p.embeds = p, map[string]videos.Video{}
			ids = append(ids, p.ID)
		}
	}
	return objects.EmbedsOf(ctx, c.Rules.Blog, ids, func(id int64, v videos.Video) { byID[id].embeds[key(v)] = v })
}

// media holds the attachments that are played in posts or serve as their pictures.
type media struct {
	byID   map[int64]*objects.Media
	byFile map[string]*objects.Media
	byGUID map[string]*objects.Media // by the video's id at VideoPress
}

// readMedia reads all attachments that the posts mention, in one batch.
func (c *Reader) readMedia(ctx context.Context, posts []*post) (*media, error) {
	var ids []int64
	var names []string // file names, and ids of VideoPress
	for _, p := range posts {
		if p.Thumbnail > 0 {
			ids = append(ids, p.Thumbnail)
		}
		if p.stored.Attachment > 0 {
			ids = append(ids, p.stored.Attachment)
		}
		for _, v := range p.mentions {
			switch {
			case v.Provider == "videopress":
				names = append(names, v.ID)
			case v.AttachmentID > 0:
				ids = append(ids, v.AttachmentID)
			default:
				if file := objects.AttachedFile(c.Rules.Blog, v.File); file != "" {
					names = append(names, file)
				}
			}
		}
	}
	found, err := objects.ReadMedia(ctx, c.Rules.Blog, ids, names)
	if err != nil {
		return nil, err
	}
	m := &media{byID: found, byFile: map[string]*objects.Media{}, byGUID: map[string]*objects.Media{}}
	for _, a := range found {
		if a.File != "" {
			m.byFile[a.File] = a
		}
		if a.VideoPress != "" {
			m.byGUID[a.VideoPress] = a
		}
	}
	return m, nil
}

func (c *Reader) absolute(address string) string {
	return content.NewHome(c.Rules.Blog.Home()).Absolute(strings.TrimSpace(address))
}

// fileURL returns the URL of an attached file; "" if file is "".
func (c *Reader) fileURL(file string) string {
	return c.absolute(c.Rules.Blog.Settings().Uploads.FileURL(file))
}

// Texts are the data of a post or term that its videos use if they have none of their own. Title,
// Description and Excerpt are HTML.
type Texts struct {
	Title, Description string
	Excerpt            string
	Date               int64
	Thumbnail          string // URL
	Category           string
	Tags               []string
	Uploader           string
	UploaderInfo       string // URL
	Stored             Stored
}

func (c *Reader) texts(p *post, m *media) *Texts {
	t := &Texts{
		Title: p.Title, Excerpt: p.Excerpt, Description: p.stored.Description, Date: c.Rules.Past(PublishedAt(c.Rules.Blog, p.FullPost)),
		Category: p.Category, Tags: p.Tags,
		Uploader: p.AuthorName, UploaderInfo: p.AuthorLink, Stored: p.stored,
	}
	if a := m.byID[p.Thumbnail]; a != nil && strings.HasPrefix(a.MIME, "image/") {
		t.Thumbnail = c.fileURL(a.File)
	}
	return t
}

// PublishedAt returns the publication date of a post in Unix seconds. If there is no UTC date, it converts the local
// date. It returns wp.NoTime if there is no date at all.
func PublishedAt(blog *wp.Blog, p *address.FullPost) int64 {
	if p.Dates.PublishedGMT == wp.NoTime && p.Dates.Published != wp.NoTime {
		return blog.UTC(p.Dates.Published)
	}
	return p.Dates.PublishedGMT
}

// compose collects the videos of a post.
func (c *Reader) compose(p *post, m *media) {
	t := c.texts(p, m)
	seen := map[string]bool{}
	if p.stored.Video != nil {
		v, known := p.stored.Video(t)
		if a := m.byID[p.stored.Attachment]; a != nil && v.Duration == 0 {
			v.Duration = a.Length
		}
		for _, k := range known {
			seen[k] = true
		}
		p.take(&v, "")
		t.taken()
	}
	for _, mention := range p.mentions {
		found := c.attach(mention, m)
		v := c.video(p, found, t)
		known := key(found.Video)
		if found.Provider == "" {
			known = v.ContentLoc
		}
		if !seen[known] {
			seen[known] = true
			p.take(&v, cmp.Or(found.Address, found.File))
			t.taken()
		}
	}
}

// taken clears the editor's choices, which apply to the first video only.
func (t *Texts) taken() {
	t.Stored.Thumbnail, t.Stored.Duration, t.Stored.Rated, t.Stored.Rating = "", 0, false, 0
}

// take adds a video to p.videos, or to p.incomplete if the video lacks something. address names the video for
// people; if it is "", an address of the video itself does.
func (p *post) take(v *urlset.Video, address string) {
	address = cmp.Or(address, v.ContentLoc, v.PlayerLoc)
	if v.ContentLoc == p.Link {
		v.ContentLoc = ""
	}
	if v.PlayerLoc == p.Link || v.PlayerLoc == v.ContentLoc {
		v.PlayerLoc = ""
	}
	if verdict := Lacks(v); verdict != seo.Listed {
		p.incomplete = append(p.incomplete, incomplete{address, verdict})
	} else {
		p.videos = append(p.videos, *v)
	}
}

// playing is a video in the content with its attachment, if it has one.
type playing struct {
	videos.Video
	attachment *objects.Media
}

// attach returns a video with its attachment.
func (c *Reader) attach(v videos.Video, m *media) playing {
	if v.Provider == "videopress" {
		return playing{v, m.byGUID[v.ID]}
	}
	a := m.byID[v.AttachmentID]
	if file := objects.AttachedFile(c.Rules.Blog, v.File); a == nil && file != "" {
		a = m.byFile[file]
	}
	if a != nil && v.File == "" {
		v.File = c.fileURL(a.File)
	}
	return playing{v, a}
}

// video converts a video in the content to a video of a sitemap.
func (c *Reader) video(p *post, found playing, t *Texts) urlset.Video {
	v := NewVideo(t)
	v.PlayerLoc = found.Player
	v.ContentLoc = c.Listable(found.File)
	answer := p.embeds[key(found.Video)]
	titles, descriptions := []string{found.Title, answer.Title, t.Title}, []string(nil)
	thumbnails := []string{t.Stored.Thumbnail, found.Poster}
	if a := found.attachment; a != nil {
		titles = []string{found.Title, a.Title, answer.Title, t.Title}
		descriptions = append(descriptions, a.Caption, a.Description)
		thumbnails = append(thumbnails, c.fileURL(a.Poster), a.Picture)
		v.Duration = cmp.Or(v.Duration, a.Length)
	}
	v.Title = t.First(titles...)
	v.Description = t.First(append(descriptions, t.Description, t.Excerpt, cmp.Or(found.Address, v.ContentLoc))...)
	v.ThumbnailLoc = c.FirstListable(append(thumbnails, found.Thumbnail, answer.Thumbnail, t.Thumbnail)...)
	return v
}

// NewVideo returns a video that has the data of its post or term.
func NewVideo(t *Texts) urlset.Video {
	v := urlset.Video{
		Published: t.Date, Expires: urlset.NoDate,
		NotFamily: t.Stored.NotFamily, Duration: t.Stored.Duration, Rated: t.Stored.Rated, Rating: t.Stored.Rating,
		Category: formatting.PlainText(t.Category), Uploader: formatting.PlainText(t.Uploader), UploaderInfo: t.UploaderInfo,
	}
	for _, tag := range t.Tags {
		AddTag(&v, formatting.PlainText(tag))
	}
	return v
}

// AddTag adds a tag, unless the video has it already or has the maximum number of tags.
func AddTag(v *urlset.Video, tag string) {
	if tag != "" && !slices.Contains(v.Tags, tag) && len(v.Tags) < urlset.MaxVideoTags {
		v.Tags = append(v.Tags, tag)
	}
}

// Listable returns an address as an absolute URL, or "" if a sitemap may not contain it.
func (c *Reader) Listable(address string) string {
	address = c.absolute(address)
	if address == "" || len(address) > 4*urlset.MaxLoc {
		return ""
	}
	if _, ok := urlset.Strict.AppendLoc(nil, address); !ok {
		return ""
	}
	return address
}

// FirstListable returns the first address that a sitemap may contain, as an absolute URL, or "".
func (c *Reader) FirstListable(addresses ...string) string {
	for _, address := range addresses {
		if loc := c.Listable(address); loc != "" {
			return loc
		}
	}
	return ""
}

// First returns the first text that is not empty after conversion from HTML to plain text, or "".
func (t *Texts) First(texts ...string) string {
	for _, text := range texts {
		if plain := t.Prose(text); plain != "" {
			return plain
		}
	}
	return ""
}

// maxProse is the maximum length of a text in bytes. The time for cleaning a text grows with the
// square of its length.
const maxProse = 16 << 10

// Prose converts HTML to plain text. It removes shortcodes and characters that XML does not allow, and
// fills in variables.
func (t *Texts) Prose(s string) string {
	if len(s) > maxProse {
		s = strings.ToValidUTF8(s[:maxProse], "")
	}
	s = scripts.ReplaceAllLiteralString(formatting.StripShortcodes(s), " ")
	if t.Stored.Replace != nil && strings.Contains(s, "%%") {
		s = t.Stored.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, php.HTMLEntityDecode(formatting.PlainText(s), php.UTF8)) // texts of videos are escaped once more than those of posts
	return strings.Join(strings.Fields(s), " ")
}

// scripts matches elements whose text readers do not see.
var scripts = regexp.MustCompile(`(?is)<(?:script\b.*?</script|style\b.*?</style)[^>]*>`)

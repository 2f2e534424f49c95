package permalink

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Post holds what the link of a post, page, attachment or custom post is made of. Its columns come from the table
// posts.
type Post struct {
	ID     int64
	Type   *registry.PostType // nil if the type is not registered
	Status string             // post_status
	Name   string             // post_name
	Date   string             // post_date as stored, in the time of the site: "2006-01-02 15:04:05"

	// Own is the address below home that an editor has set. The link then consists of nothing else. "" means none.
	Own string
	// Path is the path of a post of a hierarchical type, from the function Path. If it is "", the link contains Name.
	Path string
	// Author is users.user_nicename. Only structures with %author% need it.
	Author string
	// Category is the text of %category%: the CategoryPath of the CategoryChoice. For a post without categories it
	// is the slug of the option default_category.
	Category string
	// Terms holds the texts of tokens in the slug of a custom type, by the token without percent signs:
	// "product_cat", or "category", which WooCommerce fills with the product category.
	//
	// If Terms is not nil, a plugin replaces tokens in slugs. The tokens of dates and %post_id% are then replaced
	// as well, as WooCommerce does. If Terms is nil, every token stays.
	Terms map[string]string

	// The fields below are for attachments and for the parents of attachments.

	ParentID int64 // post_parent
	Parent   *Post // the row with the id ParentID, of any type and status; nil if it is missing
	// TrashedStatus is the status that a trashed post had before (postmeta _wp_trash_meta_status).
	TrashedStatus string
}

// maxChain is how many rows a walk from parent to parent visits at most.
const maxChain = 256

// Post returns the link of a post of any type. This includes attachments and the front page.
func (b *Builder) Post(p Post) string {
	switch {
	case p.Type != nil && p.Type.Name == "attachment" && p.Own == "":
		return b.attachment(&p)
	case p.Type != nil && p.Type.Name == "page" && b.IsFrontPage(p.ID):
		return b.home + "/"
	}
	return b.post(&p)
}

// post returns the link of any post but an attachment. The front page gets the link of its path, because the links of
// attachments below it begin with that link.
func (b *Builder) post(p *Post) string {
	pretty := b.pretty && viewable(p.Status)
	switch {
	case p.Own != "":
		return b.home + "/" + p.Own
	case p.Type == nil:
		return b.plain("/?p=", p.ID)
	case p.Type.Name == "page" && pretty:
		return b.link(withoutZero(b.root + p.path()))
	case p.Type.Name == "page":
		return b.plain("/?page_id=", p.ID)
	case !p.Type.BuiltIn:
		return b.custom(p)
	case pretty:
		return b.link(withoutZero(b.fill(p)))
	}
	return b.plain("/?p=", p.ID)
}

func (b *Builder) custom(p *Post) string {
	t := p.Type
	name := p.Name
	if t.Hierarchical {
		name = p.path()
	}
	slug := cmp.Or(t.Slug, t.Name)
	switch public := viewable(p.Status); {
	case b.pretty && t.Rewrite && public && t.Structure != "":
		return b.home + b.prefix(t.WithFront) + fillSlug(slug+t.Structure, t.Name, name, p)
	case b.pretty && t.Rewrite && public:
		return b.link(b.prefix(t.WithFront) + fillSlug(b.productSlug(t, slug), t.Name, name, p) + "/" + name)
	case t.QueryVar != "" && public:
		return b.home + "/?" + argument(t.QueryVar, strings.TrimSuffix(name, "="))
	}
	return b.plain("/?post_type="+t.Name+"&p=", p.ID)
}

// fillSlug replaces the tokens in the slug of a type or taxonomy. own is the token of the type itself. Core replaces no
// other token, and puts name in its place. Plugins may replace further tokens in the slugs of post types, see
// Post.Terms. All other tokens stay. p is nil for a taxonomy.
func fillSlug(slug, own, name string, p *Post) string {
	filled := ""
	for {
		before, rest, _ := strings.Cut(slug, "%")
		token, after, closed := strings.Cut(rest, "%")
		if !closed {
			return filled + slug
		}
		filled += before
		if token == own {
			filled += name
		} else if text, ok := p.pluginToken(token); ok {
			filled += text
		} else { // the closing sign may open the next token
			filled += "%" + token
			after = "%" + after
		}
		slug = after
	}
}

// pluginToken returns the text with which a plugin replaces a token. token has no percent signs. ok is false if no
// plugin replaces it.
func (p *Post) pluginToken(token string) (text string, ok bool) {
	if p == nil || p.Terms == nil {
		return "", false
	}
	if text, ok := p.Terms[token]; ok {
		return text, true
	}
	for _, t := range tokens {
		if t.name == "%"+token+"%" && slices.Contains(ofRow, t.name) {
			return t.value(p), true
		}
	}
	return "", false
}

// attachment returns the link of an attachment: its parent's link and its own name. The parent may itself be an
// attachment. If the link of an attachment in this chain is a query, so are the links of all attachments below it.
func (b *Builder) attachment(p *Post) string {
	plain := b.plain("/?attachment_id=", p.ID)
	var chain []string // the names of p and of the attachments that are its ancestors
	top := p
	for ; ; top = top.Parent {
		if len(chain) == maxChain || !b.attachmentHasPath(top) {
			return plain
		}
		chain = append(chain, top.Name)
		if top.ParentID == 0 || top.Parent.Type.Name != "attachment" {
			break
		}
	}
	link := ""
	if top.ParentID == 0 {
		name := top.Name
		if b.slash == "" {
			name = withoutZero(name)
		}
		link = b.link(name)
		chain = chain[:len(chain)-1]
	} else {
		link = b.post(top.Parent)
	}
	for _, name := range slices.Backward(chain) {
		if strings.Contains(link, "?") {
			return plain
		}
		if b.Needs("category") || php.IsNumeric(name) { // WordPress would take a number for a part of the parent
			name = "attachment/" + name
		}
		link = strings.TrimRight(link, `/\`) + "/" + name + b.slash
	}
	return link
}

// attachmentHasPath reports whether the link of an attachment may be a path. It looks at the
// permalink structure, at the type of the parent, and at the status of the attachment, which it may inherit. It does not look whether
// the link of the parent is a path.
func (b *Builder) attachmentHasPath(p *Post) bool {
	if p.ParentID != 0 &&
		(p.Parent == nil || p.ParentID == p.ID || p.Parent.Type == nil || !p.Parent.Type.Viewable) {
		return false
	}
	// WooCommerce's product variations are not viewable, so that the check above covers their attachments.
	if b.set.WooCommerce && p.ParentID != 0 && p.Parent.Type.Name == "product" {
		return false
	}
	return b.pretty && viewable(p.status(0))
}

func (b *Builder) plain(query string, id int64) string {
	return b.home + query + strconv.FormatInt(id, 10)
}

// path returns the path of p, or its name if it has no path.
func (p *Post) path() string {
	if p.Path == "" {
		return p.Name
	}
	return p.Path
}

// status returns the status of p as get_post_status() does: an attachment may take the status of its parent. depth
// counts the attachments on the way. status returns "" for an endless chain of attachments, on which core fails.
func (p *Post) status(depth int) string {
	if p.Type == nil || p.Type.Name != "attachment" {
		return p.Status
	}
	switch p.Status {
	case "private", "trash", "auto-draft":
		return p.Status
	case "inherit":
	default:
		return "publish"
	}
	if p.ParentID == 0 || p.Parent == nil || p.ParentID == p.ID {
		return "publish"
	}
	if depth >= maxChain {
		return ""
	}
	status := p.Parent.status(depth + 1)
	if status != "trash" {
		return status
	}
	if empty(p.Parent.TrashedStatus) {
		return "publish"
	}
	return p.Parent.TrashedStatus
}

// viewable reports whether a visitor may see posts of a status, as is_post_status_viewable() does. Of core's
// statuses this is only publish. The database does not tell which statuses plugins register.
func viewable(status string) bool { return status == "publish" }

// withoutZero returns "" for the path "0", which home_url() treats as no path.
func withoutZero(path string) string {
	if path == "0" {
		return ""
	}
	return path
}

package permalink

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Post is what the link of a post, page, attachment or custom post is made of.
// Columns come from the posts table.
type Post struct {
	ID     int64
	Type   *registry.PostType // nil: not registered
	Status string             // post_status
	Name   string             // post_name
	Date   string             // post_date as stored: site-local "2006-01-02 15:04:05"

	// Own is the address below home where it is made of nothing else, as editors have set it; "" for none.
	Own string
	// Path is the path of a hierarchical type, by the function Path; "" stands for Name.
	Path string
	// Author is users.user_nicename; only for structures with %author%.
	Author string
	// Category is the text of %category%: the CategoryPath of the CategoryChoice, or the
	// slug of option default_category for a post without categories.
	Category string
	// Terms are the texts of tokens in the slug of a custom type that stand for terms, keyed
	// without percent signs ("product_cat", and "category", for which WooCommerce puts the
	// product category). Not nil also says that a plugin replaces tokens there: the dates and
	// %post_id% are replaced then as well, as WooCommerce does. nil leaves every token as it is.
	Terms map[string]string

	// The rest is for attachments, and for the parents of attachments.

	ParentID int64 // post_parent
	Parent   *Post // the row ParentID names, whatever its type and status; nil when missing
	// TrashedStatus is postmeta._wp_trash_meta_status of a trashed post: its status before.
	TrashedStatus string
}

// maxChain bounds every walk from parent to parent.
const maxChain = 256

// Post returns the link of a post of any type, attachments and the front page included.
func (b *Builder) Post(p Post) string {
	switch {
	case p.Type != nil && p.Type.Name == "attachment" && p.Own == "":
		return b.attachment(&p)
	case p.Type != nil && p.Type.Name == "page" && b.IsFrontPage(p.ID):
		return b.home + "/"
	}
	return b.post(&p)
}

// post returns the link of anything but an attachment. The front page gets its path: that is what attachments below it use.
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

// fillSlug fills the slug of a type or taxonomy. It may hold tokens: its own name, which core replaces, and those of
// taxonomies, which only plugins do.
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
		} else { // the closing sign may open a token
			filled += "%" + token
			after = "%" + after
		}
		slug = after
	}
}

// pluginToken returns what a plugin puts in the place of a token, written without its percent signs.
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

// attachment returns the link of an attachment: its parent's link and its own name. The parent may be an attachment again. If
// one of them has a query for a link, so have all below it.
func (b *Builder) attachment(p *Post) string {
	plain := b.plain("/?attachment_id=", p.ID)
	var chain []string // the names of p and of the attachments above it
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
		if b.Needs("category") || php.IsNumeric(name) { // a number would be taken for a part of the parent
			name = "attachment/" + name
		}
		link = strings.TrimRight(link, `/\`) + "/" + name + b.slash
	}
	return link
}

// attachmentHasPath reports whether the link of an attachment can be a path, as far as its own
// row and the type of its parent decide.
func (b *Builder) attachmentHasPath(p *Post) bool {
	if p.ParentID != 0 &&
		(p.Parent == nil || p.ParentID == p.ID || p.Parent.Type == nil || !p.Parent.Type.Viewable) {
		return false
	}
	// Variations are not viewable.
	if b.set.WooCommerce && p.ParentID != 0 && p.Parent.Type.Name == "product" {
		return false
	}
	return b.pretty && viewable(p.status(0))
}

func (b *Builder) plain(query string, id int64) string {
	return b.home + query + strconv.FormatInt(id, 10)
}

// path is the page path of p.
func (p *Post) path() string {
	if p.Path == "" {
		return p.Name
	}
	return p.Path
}

// status follows get_post_status(): an attachment has the status of its parent. depth
// counts the attachments in between; a chain without end, which core does not survive,
// has no status.
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

// viewable follows is_post_status_viewable() for a visitor. Of core's statuses only publish
// is; those that plugins register in code are not known from the database.
func viewable(status string) bool { return status == "publish" }

// withoutZero drops the path "0", which home_url() takes for no path.
func withoutZero(path string) string {
	if path == "0" {
		return ""
	}
	return path
}

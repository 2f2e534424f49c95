package permalink

import (
	"bytes"
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
	var buf [bufferSize]byte
	dst := buf[:0]
	switch {
	case p.Type != nil && p.Type.Name == "attachment" && p.Own == "":
		dst = b.appendAttachment(dst, &p)
	case p.Type != nil && p.Type.Name == "page" && b.IsFrontPage(p.ID):
		dst = append(dst, b.home...)
		dst = append(dst, '/')
	default:
		dst = b.appendPost(dst, &p)
	}
	return string(dst)
}

// appendPost appends the link of anything but an attachment. The front page gets its path:
// that is what attachments below it use.
func (b *Builder) appendPost(dst []byte, p *Post) []byte {
	switch {
	case p.Own != "":
		return append(append(append(dst, b.home...), '/'), p.Own...)
	case p.Type == nil:
		return b.appendPlain(dst, "/?p=", p.ID)
	case p.Type.Name == "page":
		return b.appendPage(dst, p)
	case !p.Type.BuiltIn:
		return b.appendCustom(dst, p)
	}

	if !b.pretty || !viewable(p.Status) {
		return b.appendPlain(dst, "/?p=", p.ID)
	}
	dst = append(dst, b.home...)
	at := len(dst)
	for _, t := range b.tokens {
		if t.kind == literal {
			dst = append(dst, t.text...)
		} else {
			dst = appendValue(dst, t.kind, p)
		}
	}
	return b.join(withoutZero(dst, at), at)
}

func (b *Builder) appendPage(dst []byte, p *Post) []byte {
	if !b.pretty || !viewable(p.Status) {
		return b.appendPlain(dst, "/?page_id=", p.ID)
	}
	dst = append(dst, b.home...)
	at := len(dst)
	dst = append(dst, b.root...)
	dst = append(dst, p.path()...)
	return b.join(withoutZero(dst, at), at)
}

func (b *Builder) appendCustom(dst []byte, p *Post) []byte {
	t := p.Type
	name := p.Name
	if t.Hierarchical {
		name = p.path()
	}
	public := viewable(p.Status)

	switch {
	case b.pretty && t.Rewrite && public:
		slug := cmp.Or(t.Slug, t.Name)
		dst = append(dst, b.home...)
		at := len(dst)
		dst = append(dst, b.prefix(t.WithFront)...)
		if t.Structure != "" {
			return appendSlug(dst, slug+t.Structure, t.Name, name, p)
		}
		dst = appendSlug(dst, b.productSlug(t, slug), t.Name, name, p)
		dst = append(dst, '/')
		dst = append(dst, name...)
		return b.join(dst, at)

	case t.QueryVar != "" && public:
		dst = append(dst, b.home...)
		dst = append(dst, "/?"...)
		dst = append(dst, t.QueryVar...)
		// build_query() drops the equals sign of an empty value.
		if name = strings.TrimSuffix(name, "="); name != "" {
			dst = append(dst, '=')
			dst = append(dst, name...)
		}
		return dst
	}

	dst = append(dst, b.home...)
	dst = append(dst, "/?post_type="...)
	dst = append(dst, t.Name...)
	dst = append(dst, "&p="...)
	return strconv.AppendInt(dst, p.ID, 10)
}

// appendSlug appends the slug of a type or taxonomy. It may hold tokens: its own name,
// which core replaces, and those of taxonomies, which only plugins do.
func appendSlug(dst []byte, slug, own, name string, p *Post) []byte {
	for {
		i := strings.IndexByte(slug, '%')
		if i < 0 {
			return append(dst, slug...)
		}
		dst = append(dst, slug[:i]...)
		slug = slug[i:]
		j := strings.IndexByte(slug[1:], '%') + 1
		if j == 0 {
			return append(dst, slug...)
		}
		tok, inner := slug[:j+1], slug[1:j]
		if inner == own {
			dst = append(dst, name...)
		} else if text, ok := appendPluginToken(dst, tok, inner, p); ok {
			dst = text
		} else { // the closing sign may open a token
			dst = append(dst, slug[:j]...)
			slug = slug[j:]
			continue
		}
		slug = slug[j+1:]
	}
}

func appendPluginToken(dst []byte, tok, inner string, p *Post) ([]byte, bool) {
	if p == nil || p.Terms == nil {
		return dst, false
	}
	if text, ok := p.Terms[inner]; ok {
		return append(dst, text...), true
	}
	for _, n := range names {
		if n.name == tok && (n.kind <= second || n.kind == postID) {
			return appendValue(dst, n.kind, p), true
		}
	}
	return dst, false
}

// appendAttachment appends the link of an attachment: its parent's link and its own name.
// The parent may be an attachment again. If one of them has a query for a link, so have
// all below it.
func (b *Builder) appendAttachment(dst []byte, p *Post) []byte {
	start := len(dst)
	var storage [4]string
	chain := storage[:0] // the names of p and of the attachments above it
	top := p
	for ; ; top = top.Parent {
		if len(chain) == maxChain || !b.attachmentHasPath(top) {
			return b.appendPlain(dst, "/?attachment_id=", p.ID)
		}
		chain = append(chain, top.Name)
		if top.ParentID == 0 || top.Parent.Type.Name != "attachment" {
			break
		}
	}

	if top.ParentID == 0 {
		dst = append(dst, b.home...)
		at := len(dst)
		dst = append(dst, top.Name...)
		if !b.slash {
			dst = withoutZero(dst, at)
		}
		dst = b.join(dst, at)
		chain = chain[:len(chain)-1]
	} else {
		dst = b.appendPost(dst, top.Parent)
	}

	for _, name := range slices.Backward(chain) {
		if bytes.IndexByte(dst[start:], '?') >= 0 {
			return b.appendPlain(dst[:start], "/?attachment_id=", p.ID)
		}
		for len(dst) > start && (dst[len(dst)-1] == '/' || dst[len(dst)-1] == '\\') {
			dst = dst[:len(dst)-1]
		}
		dst = append(dst, '/')
		// A number would be taken for a part of the parent.
		if b.attachmentMarker || php.IsNumeric(name) {
			dst = append(dst, "attachment/"...)
		}
		dst = append(dst, name...)
		if b.slash {
			dst = append(dst, '/')
		}
	}
	return dst
}

// attachmentHasPath reports whether the link of an attachment can be a path, as far as its own
// row and the type of its parent decide.
func (b *Builder) attachmentHasPath(p *Post) bool {
	if p.ParentID != 0 &&
		(p.Parent == nil || p.ParentID == p.ID || p.Parent.Type == nil || !p.Parent.Type.Viewable) {
		return false
	}
	// Variations are not viewable.
	if b.wooCommerce && p.ParentID != 0 && p.Parent.Type.Name == "product" {
		return false
	}
	return b.pretty && viewable(p.status(0))
}

func (b *Builder) appendPlain(dst []byte, query string, id int64) []byte {
	dst = append(dst, b.home...)
	dst = append(dst, query...)
	return strconv.AppendInt(dst, id, 10)
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
func withoutZero(dst []byte, at int) []byte {
	if len(dst) == at+1 && dst[at] == '0' {
		return dst[:at]
	}
	return dst
}

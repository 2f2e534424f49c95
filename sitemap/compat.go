package sitemap

import "fmt"

// Compat is how exactly the plugin is followed: one switch for each row of the table in
// the README. Spec and Plugin are its two levels; there is no third way to set a switch.
type Compat struct {
	Name string

	ByID             bool // posts, terms and authors by id, so that an edit changes one page; else the plugin's orders
	FullPages        bool // excluded entries leave before paging; else they are counted and pages run short
	PageDates        bool // an index date is the newest lastmod on its page; else the plugin's rules
	ImageTitles      bool // image:title from the attachment's caption, then its title
	AttachmentImages bool // an attachment in its own sitemap lists its own file
	DistinctImages   bool // an image once, at most maxImages a URL
	AuthorDates      bool // lastmod of an author is that of the newest published post; else the profile's stamp, and none without
	HonourPrivate    bool // blog_public = 0 excludes every URL
	HideEmpty        bool // no sitemap for a type, taxonomy or author list without a listable member
	JudgeFrontPages  bool // front page and posts page are left out when noindexed or canonical elsewhere
	HomeOnce         bool // home is listed once, not as front page and as posts archive
	OwnAddresses     bool // no entry stands at the address of another: posts without a slug, the archive that is a page
	ServicePages     bool // cart, checkout and account pages are left out where the shop's plugin marks them noindex; the plugin lists them
	OwnStatus        bool // attachments in the trash are left out; else only the status of their parents counts
	StrictAddresses  bool // addresses are made valid by RFC 3986; else encoded as the plugin does
	CountsFirstLinks bool // front page and archives count towards page_size
	PlainValues      bool // values that the plugin never writes mean what they say: a NULL password is none, a switch that is 1 is on; else what its comparisons make of them
	Parts            bool // the later parts of a post cut by <!--nextpage--> are listed after it; they count for nothing else
	Alternates       bool // the translations of an address are named as its hreflang alternates; the plugin names none
	EveryVideo       bool // each video of a listed post, found in its content too, in the specification's order; else the stored one in its stored order
	NewsFromPosts    bool // news is judged as in the other sitemaps, published or modified within 48 hours, in as many files as it takes; else the plugin's rules
}

// The two levels.
var (
	Spec = Compat{
		Name: "spec", ByID: true, FullPages: true, PageDates: true, ImageTitles: true, AttachmentImages: true, DistinctImages: true,
		AuthorDates: true, HonourPrivate: true, HideEmpty: true, JudgeFrontPages: true, HomeOnce: true,
		OwnAddresses: true, ServicePages: true, OwnStatus: true, StrictAddresses: true, CountsFirstLinks: true,
		NewsFromPosts: true, EveryVideo: true, Parts: true, Alternates: true, PlainValues: true,
	}
	Plugin = Compat{Name: "plugin"}
)

// CompatByName returns the level of that name.
func CompatByName(name string) (Compat, error) {
	for _, c := range []Compat{Spec, Plugin} {
		if c.Name == name {
			return c, nil
		}
	}
	return Compat{}, fmt.Errorf("compat %q: must be \"spec\" or \"plugin\"", name)
}

package wp

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/weburl"
)

type Language = multilingual.Language

func (b *Blog) Languages() *multilingual.Languages { return &b.languages }

// readLanguages reads the settings of the active multilingual plugin, if there is one.
func (r *reading) readLanguages(ctx context.Context) error {
	b := r.blog
	b.home = b.set.Home
	option := multilingual.OptionOf(b.set.ActivePlugins)
	if option == "" {
		return nil
	}
	l, err := multilingual.Read(ctx, &multilingual.Site{
		Blog: b, Home: b.home, Structure: b.set.Permalinks.Structure, Prefix: b.prefix,
		ActivePlugins: b.set.ActivePlugins, Settings: r.array(option),
	})
	if err != nil || l == nil {
		return err
	}
	b.languages = *l
	if err := r.translateFrontPages(ctx); err != nil {
		return err
	}
	if err := r.languageHomes(ctx); err != nil {
		return err
	}
	b.stored.front, b.stored.posts, b.stored.uploads = b.set.PageOnFront, b.set.PageForPosts, b.set.Uploads.URL
	b.useLanguage(l.Main)
	return nil
}

// languageHomes sets the home of each language. If the language has a translated front page, its home is the address of
// that page. If not, its home is the site's home with the code or the domain of the language.
func (r *reading) languageHomes(ctx context.Context) error {
	l := &r.blog.languages
	var fronts []int64
	for i := range l.All {
		l.All[i].Home = l.Links.Home(l.All[i].Code)
		if l.All[i].Front > 0 {
			fronts = append(fronts, l.All[i].Front)
		}
	}
	if !l.Fronts || len(fronts) == 0 {
		return nil
	}
	tree := Tree{}
	if err := r.blog.ReadAncestors(ctx, tree, fronts); err != nil {
		return err
	}
	raw := r.blog.Links()
	for i := range l.All {
		lang := &l.All[i]
		if lang.Front == 0 || lang.Home == r.blog.home+"/" && i == l.Main {
			continue
		}
		lang.Home = raw.PageAddress(lang.Front, tree.Path(lang.Front))
		if !l.Content {
			lang.Home = l.Links.Switch(lang.Home, lang.Code)
		}
	}
	return nil
}

// translateFrontPages finds the translations of page_on_front and page_for_posts in every language.
func (r *reading) translateFrontPages(ctx context.Context) error {
	l := &r.blog.languages
	front, posts := r.blog.set.PageOnFront, r.blog.set.PageForPosts
	if !r.blog.set.StaticFront() || front <= 0 && posts <= 0 {
		return nil
	}
	groups, err := l.Plugin.Translations(ctx, "page", Distinct([]int64{front, posts}))
	if err != nil {
		return err
	}
	for i := range l.All {
		lang := &l.All[i]
		in := func(id int64) int64 {
			g := groups[id]
			if len(g.Members) == 0 && g.Language == lang.Code {
				return id
			}
			return g.Members[lang.Code]
		}
		lang.Front, lang.Posts = in(front), in(posts)
	}
	return nil
}

// useLanguage switches the settings to one language. current is the index of the language in Languages.All.
func (b *Blog) useLanguage(current int) {
	l := &b.languages
	l.Current = current
	lang := l.All[current]
	if b.set.StaticFront() { // the plugins translate both options
		if lang.Front > 0 {
			b.set.PageOnFront = lang.Front
		}
		if lang.Posts > 0 {
			b.set.PageForPosts = lang.Posts
		}
		b.set.Permalinks.PageOnFront, b.set.Permalinks.PageForPosts = b.set.PageOnFront, b.set.PageForPosts
	}
	if l.Domains {
		b.set.Home = strings.TrimRight(l.Links.Switch(b.home, lang.Code), "/")
		b.set.Permalinks.Home = b.set.Home
		b.set.Uploads.URL = l.Links.Switch(b.set.Uploads.URL, lang.Code)
	}
}

// PerLanguage returns one blog for each active language if each language has its own domain. Otherwise it returns the
// blog alone.
func (b *Blog) PerLanguage() []*Blog {
	l := &b.languages
	if !l.Domains {
		return []*Blog{b}
	}
	var blogs []*Blog
	for i, lang := range l.All {
		if !lang.Active {
			continue
		}
		own := *b
		own.set.PageOnFront, own.set.PageForPosts = b.stored.front, b.stored.posts
		own.set.Uploads.URL = b.stored.uploads
		own.useLanguage(i)
		if i != l.Main {
			own.warnings = nil // the blog of the default language has the warnings
		}
		blogs = append(blogs, &own)
	}
	return blogs
}

// languageHosts returns the hosts of the blog's language. The default language also answers at home, unless another
// language has that host.
func (b *Blog) languageHosts() []string {
	l := &b.languages
	addresses := []string{b.set.Home}
	if l.Domains && l.Current == l.Main {
		taken := slices.ContainsFunc(l.All, func(x Language) bool {
			return x.Code != l.All[l.Main].Code &&
				weburl.HostPort(weburl.Authority(l.Links.Switch(b.home, x.Code))) == weburl.HostPort(weburl.Authority(b.home))
		})
		if !taken {
			addresses = append(addresses, b.home)
		}
	}
	var hosts []string
	for _, a := range addresses {
		if h := weburl.HostPort(weburl.Authority(a)); h != "" && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// Alternate is the same content in one language.
type Alternate = multilingual.Alternate

// AtHome returns the blog as if its language had no domain of its own. It returns the blog itself if that changes
// nothing.
func (b *Blog) AtHome() *Blog {
	if b.set.Home == b.home {
		return b
	}
	at := *b
	at.set.Home, at.set.Permalinks.Home = b.home, b.home
	return &at
}

package permalink

import (
	"testing"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest/expect"
)

// What plugins cut from the links of WooCommerce.
func TestProductLinks(t *testing.T) {
	strip := Settings{Home: home, Structure: "/blog/%postname%/", StripProductBase: true}
	for _, c := range []struct {
		rule     string
		settings Settings
		slug     string
		want     string
	}{
		{"kept", Settings{Home: home, Structure: "/%postname%/"}, "product", "/product/cup/"},
		{"cut", strip, "product", "/cup/"},
		{"with its slashes", strip, "/shop/ware", "/cup/"},
		{"but for the category", strip, "/store/%product_cat%", "/tea/green/cup/"},
		{"around the category it is not found", strip, "/a/%product_cat%/b", "/a/tea/green/b/cup/"},
		{"the category alone is none", strip, "/%product_cat%", "/tea/green/cup/"},
		{"plain links have none", Settings{Home: home, StripProductBase: true}, "product", "/?product=cup"},
	} {
		product := &registry.PostType{Name: "product", Public: true, Viewable: true, Rewrite: true, Slug: c.slug, QueryVar: "product"}
		p := Post{ID: 3, Type: product, Status: "publish", Name: "cup", Terms: map[string]string{"product_cat": "tea/green"}}
		expect.Equal(t, New(c.settings).Post(p), home+c.want, c.rule)
	}
	category := &registry.Taxonomy{
		Name: "product_cat", Public: true, Rewrite: true, RewriteHierarchical: true, Slug: "kind", QueryVar: "product_cat",
	}
	for _, c := range []struct {
		rule     string
		settings Settings
		want     string
	}{
		{"kept", Settings{Structure: "/%postname%/"}, "/kind/tea/green/"},
		{"base cut", Settings{Structure: "/%postname%/", StripProductCategoryBase: true}, "/tea/green/"},
		{"flat", Settings{Structure: "/%postname%", FlatProductCategories: true}, "/kind/green"},
		{"both", Settings{Structure: "/x/%postname%/", StripProductCategoryBase: true, FlatProductCategories: true}, "/green/"},
		{"plain", Settings{StripProductCategoryBase: true, FlatProductCategories: true}, "/?product_cat=green"},
	} {
		c.settings.Home = home
		expect.Equal(t, New(c.settings).Term(category, 4, "green", "tea/green"), home+c.want, c.rule)
	}
}

// A base that a plugin gives to authors has no front, and one that it removes from categories may go with it.
func TestBasesWithoutFront(t *testing.T) {
	category := &registry.Taxonomy{Name: "category", Rewrite: true, RewriteHierarchical: true, QueryVar: "category_name"}
	strip := func(structure, base string) Settings {
		return Settings{Home: home, Structure: structure, CategoryBase: base, StripCategoryBase: true, StripCategoryFront: true}
	}
	for _, c := range []struct {
		rule      string
		got, want string
	}{
		{"author", New(Settings{Home: home, Structure: "/blog/%postname%/", AuthorRoot: "people"}).Author(4, "ann"), "/people/ann/"},
		{"author behind index.php", New(Settings{Home: home, Structure: "/index.php/%postname%", AuthorRoot: "people"}).Author(4, "ann"), "/people/ann"},
		{"author, plain", New(Settings{Home: home, AuthorRoot: "people"}).Author(4, "ann"), "/people/ann"},
		{"category", New(strip("/blog/%postname%/", "")).Term(category, 4, "sport", ""), "/sport/"},
		{"category behind index.php", New(strip("/index.php/%postname%/", "")).Term(category, 4, "sport", ""), "/sport/"},
		{"own base", New(strip("/blog/%postname%/", "topics")).Term(category, 4, "sport", ""), "/sport/"},
		{"own base behind index.php", New(strip("/index.php/%postname%/", "topics")).Term(category, 4, "sport", ""), "/index.php/sport/"},
	} {
		expect.Equal(t, c.got, home+c.want, c.rule)
	}
}

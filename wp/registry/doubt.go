package registry

import "fmt"

// doubt is what remains open about a type.
type doubt uint8

const (
	none        doubt = iota
	gone              // the type was public, but no rewrite rule is for it
	open              // nothing tells whether the type is public
	unaddressed       // there are no rewrite rules, and nothing else tells the addresses
	noAttribute       // the name is that of a WooCommerce attribute, but there is no such attribute
	wooInactive       // the type belongs to WooCommerce, which is not active
)

// sentence tells the operator in one sentence what is open about a type, and what to add to the configuration.
func (d *decider) sentence(k kind, name string, is doubt) string {
	n := d.rows[k][name].Used
	has := fmt.Sprintf("%s `%s` has %d %s%s%s", k, name, n, pick(k, "published post", "term"), either(n == 1, "", "s"), pick(k, "", " in use"))
	key := name
	if sanitizeKey(name) != name { // TOML requires quotes around such a name
		key = fmt.Sprintf("%q", name)
	}
	table := fmt.Sprintf("[site.%s.%s]", pick(k, "post_type", "taxonomy"), key)
	switch is {
	case gone:
		return fmt.Sprintf("%s and was public, but no rewrite rule knows it. Its plugin is probably gone. If it is not, add %s to "+
			"the configuration", has, table)
	case open:
		return fmt.Sprintf("%s, but nothing tells whether it is public: add %s to the configuration", has, table)
	case unaddressed:
		return fmt.Sprintf("%s, but nothing tells the addresses while option rewrite_rules is empty: let WordPress answer a request, "+
			"or add a slug below %s to the configuration", has, table)
	case noAttribute:
		return fmt.Sprintf("%s, but WooCommerce has no attribute of this name: if another plugin registers it, "+
			"add %s to the configuration", has, table)
	case wooInactive:
		return fmt.Sprintf("%s and belongs to WooCommerce, which is not active: if another plugin registers it, "+
			"add %s to the configuration", has, table)
	}
	return ""
}

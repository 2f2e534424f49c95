package wp

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// Fingerprint returns a hash of all settings and registered types that addresses and texts in sitemaps depend on. The
// hash does not cover the settings of single terms. It does not cover what decided a type (Sources). It does not cover
// options that WordPress and plugins write while they work.
func (b *Blog) Fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v %s %s\n", b.set, b.home, b.prefix)
	b.hashDecoded(h, func(d Decoded) any { return d.Settings })
	fmt.Fprintln(h, b.Installed())
	for _, t := range slices.Concat(b.registry.PostTypes, b.registry.Taxonomies) {
		t := *t
		t.Sources = nil
		fmt.Fprintf(h, "%+v\n", t)
	}
	for _, l := range b.languages.All {
		fmt.Fprintf(h, "%+v\n", l)
	}
	io.WriteString(h, b.languages.OfDomain())
	return h.Sum64()
}

// SettingsFingerprint returns a hash of all that Fingerprint covers, and of the settings that plugins store for single terms.
func (b *Blog) SettingsFingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d ", b.Fingerprint())
	b.hashDecoded(h, func(d Decoded) any { return d.OfObjects })
	b.hashTermMeta(h)
	return h.Sum64()
}

func (b *Blog) hashDecoded(h io.Writer, part func(Decoded) any) {
	for _, in := range b.network.declared.inputs {
		if d, ok := b.decoded[in.Name]; ok {
			fmt.Fprintf(h, "%+v %+v\n", part(d), d.Links)
		}
	}
}

// Written returns the tables among tables that belong to the blog or that all blogs of its network share. It takes full
// names and returns names without prefix: posts, options, users and so on.
func (b *Blog) Written(tables []string) []string {
	var own []string
	_, _, users := b.network.sharedUsers()
	for _, name := range tables {
		name = strings.ToLower(name)
		short := ""
		for _, prefix := range []string{b.prefix, b.network.base} {
			rest, ok := strings.CutPrefix(name, strings.ToLower(prefix))
			ours := prefix == b.prefix || slices.Contains(b.network.declared.networkTables, rest)
			if ok && ours && slices.Contains(b.network.declared.tableNames, rest) {
				short = rest
				break
			}
		}
		if slices.Contains(users, name) {
			short = "users"
		}
		if short != "" && !slices.Contains(own, short) {
			own = append(own, short)
		}
	}
	return own
}

package wp

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// Fingerprint is a number for all settings and registered types that addresses and texts in
// sitemaps depend on. Terms' own settings are not part of it, and what WordPress and plugins
// note down in their options as they work is not.
func (s *Blog) Fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v %s %s\n", s.set, s.home, s.prefix)
	s.hashDecoded(h, func(d Decoded) any { return d.Settings })
	fmt.Fprintln(h, s.Installed())
	for _, t := range slices.Concat(s.registry.PostTypes, s.registry.Taxonomies) {
		t := *t
		t.Sources = nil
		fmt.Fprintf(h, "%+v\n", t)
	}
	for _, l := range s.languages.All {
		fmt.Fprintf(h, "%+v\n", l)
	}
	s.hashAddressing(h)
	io.WriteString(h, s.languages.OfDomain())
	return h.Sum64()
}

// SettingsFingerprint is Fingerprint with the terms' own settings.
func (s *Blog) SettingsFingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d ", s.Fingerprint())
	s.hashDecoded(h, func(d Decoded) any { return d.OfObjects })
	s.hashTermMeta(h)
	return h.Sum64()
}

func (s *Blog) hashDecoded(h io.Writer, part func(Decoded) any) {
	for _, in := range s.network.declared.inputs {
		if d, ok := s.decoded[in.Name]; ok {
			fmt.Fprintf(h, "%+v %+v\n", part(d), d.Links)
		}
	}
}

// Written returns those of the tables named in full that are the site's own or that it shares
// with its network, without their prefixes: posts, options, users, blogs …
func (s *Blog) Written(tables []string) []string {
	var own []string
	_, _, users := s.network.sharedUsers()
	for _, name := range tables {
		name = strings.ToLower(name)
		short := ""
		for _, prefix := range []string{s.prefix, s.network.base} {
			rest, ok := strings.CutPrefix(name, strings.ToLower(prefix))
			shared := !ok || prefix == s.prefix || slices.Contains(s.network.declared.networkTables, rest)
			if ok && shared && slices.Contains(s.network.declared.tableNames, rest) {
				short = rest
				break
			}
		}
		if i := slices.Index(users, name); i >= 0 {
			short = "users"
		}
		if short != "" && !slices.Contains(own, short) {
			own = append(own, short)
		}
	}
	return own
}

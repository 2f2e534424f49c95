package seo

import (
	"context"
	"fmt"
	"strconv"

	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
)

// Meta reads the settings that a plugin stores under the same meta keys for posts and terms. The type
// that implements PluginSettings for the plugin embeds a Meta.
type Meta struct {
	Blog  *wp.Blog
	Keys  []string
	Means func(k ObjectKind, value func(key string) string) Flags // returns the flags of a post (KindPost) or of a term, from its values
	terms map[string]map[int64]string                             // values by meta key and term id

	brokenTerms, brokenPosts int // how many terms and posts had unreadable values when all of them were last read
}

func (m *Meta) Faults() Faults { return Faults{Broken: m.brokenTerms + m.brokenPosts} }

// Load implements PluginSettings: it reads the stored settings of terms.
func (m *Meta) Load(ctx context.Context) (err error) {
	m.terms, err = m.Blog.TermMeta(ctx, m.Keys...)
	_, m.brokenTerms = m.flags(KindTerm, m.terms)
	return err
}

// flags returns the flags of each id, and how many of the ids have values that cannot be read.
func (m *Meta) flags(k ObjectKind, values map[string]map[int64]string) (flags map[int64]Flags, broken int) {
	flags = map[int64]Flags{}
	for _, of := range values {
		for id := range of {
			if _, known := flags[id]; known {
				continue
			}
			flags[id] = m.Means(k, func(key string) string { return values[key][id] })
			if flags[id].Broken {
				broken++
			}
		}
	}
	return flags, broken
}

func (m *Meta) Posts(ctx context.Context, ids []int64) (map[int64]Flags, error) {
	values, err := m.Blog.MetaByKeys(ctx, ids, m.Keys...)
	flags, broken := m.flags(KindPost, values)
	if ids == nil {
		m.brokenPosts = broken
	}
	return flags, err
}

func (m *Meta) Post(p *address.Post) Flags { return m.Means(KindPost, p.Meta) }

// PostEvidence implements PluginSettings: it returns all stored values of the post.
func (m *Meta) PostEvidence(p *address.Post) []Evidence {
	return m.Stored(&Subject{Rules: &Rules{Blog: m.Blog}, Of: fmt.Sprintf("%s %d", p.Type, p.ID), Post: p})
}

func (m *Meta) Term(_ string, id int64) Flags {
	return m.Means(KindTerm, func(key string) string { return m.TermValue(key, id) })
}

// TermValue returns the stored value of a term's meta key.
func (m *Meta) TermValue(key string, id int64) string { return m.terms[key][id] }

func (m *Meta) TermEvidence(taxonomy string, id int64) []Evidence {
	return m.Stored(&Subject{Rules: &Rules{Blog: m.Blog}, Of: fmt.Sprintf("%s %d", taxonomy, id), Term: &address.Term{ID: id}})
}

// Author implements PluginSettings: the plugin stores nothing for users.
func (*Meta) Author(*address.Author) Flags { return Flags{} }

// Stored returns a subject's values under some meta keys as evidence. Without keys, it returns the values under all of them.
func (m *Meta) Stored(s *Subject, keys ...string) []Evidence {
	if len(keys) == 0 {
		keys = m.Keys
	}
	var all []Evidence
	for _, key := range keys {
		if value := m.value(s, key); value != "" {
			all = append(all, s.Meta(key, strconv.Quote(value)))
		}
	}
	return all
}

// StoredAs returns a function that returns a subject's stored values under some keys as evidence.
// Without keys, it uses all keys of the Meta. The Settings of the subject's Rules must embed a Meta.
func StoredAs(keys ...string) func(*Subject) []Evidence {
	return func(s *Subject) []Evidence {
		return s.Rules.Settings.(interface {
			Stored(s *Subject, keys ...string) []Evidence
		}).Stored(s, keys...)
	}
}

func (m *Meta) value(s *Subject, key string) string {
	switch {
	case s.Author != nil:
		for _, v := range s.Author.Meta(key) {
			return v.String
		}
	case s.Term != nil:
		return m.TermValue(key, s.Term.ID)
	case s.Post != nil:
		return s.Post.Meta(key)
	}
	return ""
}

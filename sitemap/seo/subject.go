package seo

import (
	"cmp"
	"strconv"

	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// Evidence is a fact behind a verdict, for people.
type Evidence struct {
	Source string `json:"source"`       // table.column, table.meta_key, table.option[key], a configuration key, or a word such as permalink
	Value  string `json:"value"`        // as stored, texts in quotes; or a word such as none
	Of     string `json:"of,omitempty"` // the object or the file that holds the value, such as "post 17"; may be ""
}

// Subject is an object that explain describes. At most one of Post, Term, Author and PostType is set.
// None is set for home. PostType is set if the subject is the archive of that type.
type Subject struct {
	Rules    *Rules
	Of       string // such as "post 17"
	Link     string
	Post     *address.Post
	Row      *objects.PostRow // the row of Post; nil if the post no longer exists
	Term     *address.Term
	Taxonomy *registry.Taxonomy // of Term
	Author   *address.Author
	PostType *registry.PostType

	Canonical string // the canonical URL of Post if its verdict is CanonicalElsewhere
}

// Kind returns the kind of the subject, and its post type or taxonomy: "" for an author and for every archive, also for that of a post
// type. A front page counts as a post.
func (s *Subject) Kind() (k ObjectKind, of string) {
	switch {
	case s.Term != nil:
		return KindTerm, s.Taxonomy.Name
	case s.Post != nil:
		return KindPost, s.Post.Type
	case s.Author != nil:
		return KindUser, ""
	}
	return KindArchive, ""
}

// Column returns evidence from a row of the subject.
func (s *Subject) Column(table, column, value string) Evidence {
	return Evidence{s.Rules.Blog.Table(table) + "." + column, value, s.Of}
}

// Meta returns evidence from the meta of a post, a term or an author.
func (s *Subject) Meta(key, value string) Evidence {
	switch {
	case s.Author != nil:
		return s.Column("usermeta", key, value)
	case s.Term != nil:
		return s.Column("termmeta", key, value)
	}
	return s.Column("postmeta", key, value)
}

// OptionOf returns evidence from an option of a blog.
func OptionOf(blog *wp.Blog, name, value string) Evidence {
	return Evidence{Source: blog.Table("options") + "." + name, Value: value}
}

func (r *Rules) Option(name, value string) Evidence { return OptionOf(r.Blog, name, value) }

// permalink returns the subject's own address as evidence.
func (s *Subject) permalink() Evidence { return Evidence{"permalink", strconv.Quote(s.Link), s.Of} }

// object returns the subject as an Object with only kind, id and address.
func (s *Subject) object() Object {
	switch {
	case s.Post != nil:
		return Object{Kind: KindPost, ID: s.Post.ID, Link: s.Link}
	case s.Term != nil:
		return Object{Kind: KindTerm, ID: s.Term.ID, Link: s.Link}
	case s.Author != nil:
		return Object{Kind: KindUser, ID: s.Author.ID, Link: s.Link}
	}
	return Object{Kind: KindArchive, Link: s.Link}
}

// Words returns a verdict on the subject as a sentence. do says how an editor gets the subject listed; it
// is "" if an editor cannot.
func (s *Subject) Words(v Verdict) (sentence, do string) {
	c := s.Rules.checkOf(v)
	switch {
	case v == NoLanguage && s.languageCode() == "":
		return "It has no language.", "Give it a language in Polylang or WPML."
	case v == NoLanguage:
		return "Visitors may not see its language.", "Make its language visible in Polylang or WPML."
	case c == nil:
		return sharedSentences[v], ""
	}
	sentence, do = c.Sentence, c.Do
	if c.Say != nil {
		sentence = cmp.Or(c.Say(s), sentence)
	}
	if c.DoOf != nil {
		do = c.DoOf(s)
	}
	return sentence, do
}

// EvidenceOf returns the facts behind a verdict on a subject.
func (s *Subject) EvidenceOf(v Verdict) []Evidence {
	if v == NoLanguage || v == OtherLanguage {
		return s.language(v)
	}
	if c := s.Rules.checkOf(v); c != nil && c.Evidence != nil {
		return c.Evidence(s)
	}
	return nil
}

// languageCode returns the language of a post or a term, or "" if it has none.
func (s *Subject) languageCode() string {
	switch {
	case s.Post != nil:
		return s.Post.Language
	case s.Term != nil:
		return s.Term.Language
	}
	return ""
}

// language returns the evidence for a post or a term that is left out because of its language.
func (s *Subject) language(v Verdict) []Evidence {
	code, value := s.languageCode(), "none"
	if code != "" {
		value = strconv.Quote(code)
	}
	all := []Evidence{{"language", value, s.Of}}
	if l, ok := s.Rules.Blog.Languages().ByCode(code); ok && v == OtherLanguage && s.Post != nil {
		all = append(all, Evidence{"language " + code, strconv.Quote(l.Home), ""})
	}
	return all
}

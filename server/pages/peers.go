package pages

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// Daemons that share a store take pages from each other: one will do for all that was made of the same, and after all that is
// known to have changed. What a page was made of and when is signed in words that mean the same in all processes.

// sign says what a page was made of and when; "" where it is not for others.
func (p *Pages) sign(key Key, page *Page) string {
	if p.sharing == nil || page.sharedVersion == 0 {
		return ""
	}
	at, ok := p.sharing.There(key.Site, page.asOf.Time)
	if !ok {
		return ""
	}
	return fmt.Sprint(signature(page.sharedVersion), " ", at.UnixMicro())
}

func signature(sharedVersion uint64) string {
	return fmt.Sprintf("%s %016x", store.Program(), sharedVersion)
}

// fromPeer returns the page that another process has made, nil where there is none to take. The leader looks for those only
// that nobody has asked for yet: others may have been asked.
func (p *Pages) fromPeer(s *sitePages, b *site.Blog, key Key, ahead bool) *Page {
	if p.sharing == nil || b.Catalog.Wider() || !b.HasFixed(key.Name, key.Page) || !ahead && !p.sharing.Elsewhere(key.Site) {
		return nil
	}
	kept := p.store.Copy(key)
	if kept == nil {
		return nil
	}
	page := p.Usable(s.Site, b, key, kept)
	if page == nil {
		return nil
	}
	s.Counted.TakenPages.Add(1)
	s.note(key, nil)
	switch {
	case !p.InForce(s.Site):
	case ahead:
		p.cache.putAhead(key, page)
	default:
		p.cache.put(key, page)
	}
	return page
}

// Usable returns a page that another process has made, in a form to be served, nil where it may not be what rendering would
// give.
func (p *Pages) Usable(s *site.Site, b *site.Blog, key Key, kept *store.Copy) *Page {
	shared := b.Catalog.Common(key.Name, key.Page)
	text, ok := strings.CutPrefix(kept.Fingerprint, signature(shared)+" ")
	micro, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil {
		return nil
	}
	page := pageOf(s, kept)
	page.asOf.Time, ok = p.sharing.Here(key.Site, time.UnixMicro(micro))
	if !ok || p.Clock().Before(page.asOf) || page.asOf.Before(b.UnchangedSince) || page.asOf.Before(b.RevalidateBefore) || page.expired(p.Now()) {
		return nil
	}
	page.term, page.generation, page.sharedVersion = s.Term, b.Generation, shared
	page.version = b.Catalog.Fingerprint(key.Name, key.Page)
	return page
}

// storedByPeer reports whether there is a page in the store that was made of the same, as far as the catalog knows.
func (p *Pages) storedByPeer(b *site.Blog, key Key) bool {
	shared := b.Catalog.Common(key.Name, key.Page)
	if shared == 0 || b.Catalog.Wider() {
		return false
	}
	kept := p.store.Copy(key)
	return kept != nil && strings.HasPrefix(kept.Fingerprint, signature(shared)+" ")
}

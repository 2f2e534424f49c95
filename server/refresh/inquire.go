package refresh

import (
	"context"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/address"
)

// inquiryCheck is how often the refresher of an idle site checks whether the daemon has to ask the site for its URLs.
const inquiryCheck = time.Minute

// inquiries is the state of the questions that a site is asked in the background. They are about one blog at a time, and no
// reading of the database waits for them.
type inquiries struct {
	heard   chan heard // passes the answer to the goroutine of the refresher
	waiting bool       // a question is under way
}

// heard is a site's answer about a blog.
type heard struct {
	blog    int64
	said    address.Answers
	changed bool // the answers change URLs, or which sitemaps the site makes itself
}

// inquire starts to ask the site about the first blog for which a question is due. While a question is under way, it does
// nothing.
func (r *Refresher) inquire(ctx context.Context) {
	if r.inquiries.waiting {
		return
	}
	for _, b := range r.site.Snapshot().Blogs {
		if !b.Resident() || b.HeldBy != "" || !b.Book.Inquires(r.daemon.Now()) {
			continue
		}
		r.inquiries.waiting = true
		r.daemon.Go(func() {
			h := heard{blog: b.ID}
			err := r.site.Guard(func() (err error) {
				h.said, h.changed, err = b.Book.Inquire(ctx, r.daemon.Now(), r.daemon.Pace.Inquire)
				return err
			})
			if err != nil && ctx.Err() == nil {
				r.site.Log.Debug("the site was not asked for its URLs", "blog", b.ID, "reason", err)
			}
			r.inquiries.heard <- h
		})
		return
	}
}

// hear stores a site's answer. If the answer changes URLs, or which sitemaps the site makes itself, the blog is read again.
func (r *Refresher) hear(h heard) {
	r.inquiries.waiting = false
	now := r.site.Snapshot()
	var blogs []*site.Blog
	for _, b := range now.Of(h.blog) {
		same := *b
		same.Routed = h.said.Into(b.Routed)
		blogs = append(blogs, &same)
	}
	r.put(now.With(h.blog, blogs))
	if h.changed {
		r.site.Log.Warn("the site answers other URLs than before, and the blog is read again", "blog", h.blog,
			"hint", "wpsitemapd check names the types that are left to the site")
		r.list.again = append(r.list.again, h.blog)
		r.plan.ScanSoon()
	}
	r.keep(r.site.Snapshot())
}

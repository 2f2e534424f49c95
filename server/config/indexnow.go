package config

import (
	"regexp"

	"wpsitemapd/server/indexnow"
)

var endpointForm = regexp.MustCompile(`^https?://[^/?#@\s]+/[^#\s]*$`)

// maxAnnounceRate is the largest rate: one full request a minute.
const maxAnnounceRate = indexnow.MaxBatch

func (s *Site) decodeIndexNow(t *table) {
	t.section += " [indexnow]"
	o := &s.IndexNow
	before := len(t.found)
	_, given := t.values["key"]
	var key Secret // so that no message shows it
	if t.secret("key", &key); given && len(t.found) == before {
		o.Key = key.Reveal()
		if o.Key != "" && !indexnow.ValidKey(o.Key) {
			t.fail("key", key, "must be %d to %d letters a-z and A-Z, digits and -", indexnow.MinKey, indexnow.MaxKey)
			o.Key = ""
		}
	}
	t.string("endpoint", &o.Endpoint)
	if !endpointForm.MatchString(o.Endpoint) {
		t.fail("endpoint", o.Endpoint, "must be an address such as %q", indexnow.DefaultEndpoint)
		o.Endpoint = indexnow.DefaultEndpoint
	}
	t.flag("dry_run", &o.DryRun)
	t.integer("rate", &o.Rate, 1, maxAnnounceRate)
	if !given && o.Key == "" && t.section != "defaults [indexnow]" {
		t.fail("key", nil, `is missing: IndexNow needs a key, which you make up`)
	}
	t.finish()
}

package admin

import (
	"encoding/json"
	"net/http"
	"time"
)

const (
	// MaxProblems is the largest number of problems of a report that are shown.
	MaxProblems = 100
	maxPublic   = 512 << 10 // bytes of a report; a problem quotes a URL of at most 2,048 characters
)

// PublicCheck is the last report of "check --public" about a site. The daemon keeps it in memory only.
type PublicCheck struct {
	At       time.Time `json:"at"`
	Requests int       `json:"requests"`
	Problems []string  `json:"problems"` // each with what to do
}

// takePublic stores a report that check --public sends.
func (h *handler) takePublic(w http.ResponseWriter, r *http.Request, i Install) {
	var c PublicCheck
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxPublic)).Decode(&c); err != nil {
		say(w, http.StatusBadRequest, "This is not a report of check --public, or it is larger than 512 KiB.")
		return
	}
	c.At, c.Problems = h.Now(), c.Problems[:min(len(c.Problems), MaxProblems)]
	h.public.Store(i.Config.Name, &c)
	say(w, http.StatusAccepted, "The report is shown on the status page.")
}

// lastPublic returns the last report about a site; nil if there was none.
func (v *View) lastPublic(site string) *PublicCheck {
	c, _ := v.public.Load(site)
	last, _ := c.(*PublicCheck)
	return last
}

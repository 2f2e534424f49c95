package proxy

import (
	"net/http"
	"slices"
	"strings"
)

// CheckVia is the name in the Via of the request by which "wpsitemapd check" learns whether an upstream leads to a daemon. Every
// daemon answers it as one of its own requests that has come back.
const CheckVia = "wpsitemapd-check"

// LoopHint is what to do about an upstream that leads back to the daemon.
const LoopHint = "set upstream to where WordPress itself answers, not to the public address: a second server of nginx or Apache, " +
	"such as http://127.0.0.1:8081 in docs/operator/deploy.md"

// Passed reports whether a process has passed a request on, by its name in the Via (RFC 9110, 7.6.3).
func Passed(r *http.Request, name string) bool {
	return slices.ContainsFunc(r.Header["Via"], func(via string) bool { return strings.Contains(via, name) })
}

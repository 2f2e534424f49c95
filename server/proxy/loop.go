package proxy

import (
	"net/http"
	"slices"
	"strings"
)

// CheckVia is the name that "wpsitemapd check" puts into the Via of a request, to learn whether an upstream leads to a daemon.
// Every daemon answers such a request with 508, like a request that it has passed on and that has come back.
const CheckVia = "wpsitemapd-check"

// LoopHint says what to do about an upstream that leads back to the daemon.
const LoopHint = "set upstream to where WordPress itself answers, not to the public address: a second server of nginx or Apache, " +
	"such as http://127.0.0.1:8081 in docs/operator/deploy.md"

// Passed reports whether the process with this name has already passed the request on. It looks for the name in Via (RFC 9110,
// 7.6.3).
func Passed(r *http.Request, name string) bool {
	return slices.ContainsFunc(r.Header["Via"], func(via string) bool { return strings.Contains(via, name) })
}

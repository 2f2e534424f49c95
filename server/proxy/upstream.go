package proxy

import (
	"errors"
	"net/url"
	"strings"
)

// Upstream is where the PHP site answers: a scheme and a host without a path, or a Unix socket that speaks HTTP. The zero value
// means that there is no upstream.
type Upstream struct {
	url    *url.URL
	socket string // path; "" for TCP
}

// UnmarshalText accepts "http://host:port", "https://host" and "unix:/path".
func (u *Upstream) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" {
		*u = Upstream{}
		return nil
	}
	if path, ok := strings.CutPrefix(s, "unix:"); ok {
		if len(path) < 2 || path[0] != '/' || len(path) > 107 || strings.ContainsRune(path, 0) {
			return errors.New(`a Unix socket must be written with its whole path, at most 107 bytes, such as "unix:/run/php-site.sock"`)
		}
		*u = Upstream{url: &url.URL{Scheme: "http", Host: "localhost"}, socket: path}
		return nil
	}
	v, err := url.Parse(s)
	switch {
	case err != nil, v.Scheme != "http" && v.Scheme != "https", v.Hostname() == "":
		return errors.New(`must be an address such as "http://127.0.0.1:8081"`)
	case v.User != nil:
		return errors.New("must not hold a user or a password")
	case v.Path != "" && v.Path != "/", v.RawQuery != "", v.Fragment != "":
		return errors.New("must be scheme, host and port only: paths are passed on as they come")
	}
	*u = Upstream{url: &url.URL{Scheme: v.Scheme, Host: v.Host}}
	return nil
}

// URL returns the URL for requests to the upstream, nil for the zero value. It must not be changed. For a Unix socket, its host
// has no meaning.
func (u Upstream) URL() *url.URL { return u.url }

// Secure reports whether the upstream uses TLS.
func (u Upstream) Secure() bool { return u.url != nil && u.url.Scheme == "https" }

func (u Upstream) String() string {
	switch {
	case u.url == nil:
		return ""
	case u.socket != "":
		return "unix:" + u.socket
	}
	return u.url.String()
}

// Package deploy holds the files for web servers and the service that wpsitemapd init writes.
package deploy

import _ "embed"

// Listen is the address of the daemon in these files.
const Listen = "127.0.0.1:8080"

var (
	//go:embed wpsitemapd.toml
	Config string
	//go:embed nginx-locations.conf
	NginxLocations string
	//go:embed apache-locations.conf
	ApacheLocations string
)

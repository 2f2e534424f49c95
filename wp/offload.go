package wp

import (
	"context"
	"database/sql"
	"regexp"
	"strings"

	"wpsitemapd/wp/db"
)

// WP Offload Media moves the files of attachments to a bucket and filters wp_get_attachment_url.

const (
	pluginOffload    = "amazon-s3-and-cloudfront/wordpress-s3.php"
	pluginOffloadPro = "amazon-s3-and-cloudfront-pro/amazon-s3-and-cloudfront-pro.php"
	optionOffload    = "tantan_wordpress_s3"

	sqlHasOffloaded = `SELECT source_id, provider, region, bucket, path, is_private, source_type FROM wp_as3cf_items WHERE id = 0`

	MetaOffloaded = "amazonS3_info" // post meta of attachments: up to version 2.2 it holds what newer versions store in the table
)

var offloadMedia = Inputs{
	Name: "WP Offload Media", Plugins: []string{pluginOffload, pluginOffloadPro}, Options: []string{optionOffload},
	Tables: []Table{{Name: "as3cf_items", Pages: true}}, PostMeta: []string{MetaOffloaded},
}

// Bucket holds what the addresses of files in a bucket begin with. WP Offload Media has moved these files there.
type Bucket struct {
	Scheme   string
	Provider string // only files at this provider count; "": files at any provider
	Domain   string // "": the provider's own domain
	Old      bool   // the version is 2.2 or older and has no table
	Path     bool   // an old version puts the name of the bucket into the path
}

var notOfDomain = regexp.MustCompile(`^[a-zA-Z]*://|[^a-zA-Z0-9.-]`)

// readOffload finds out whether files of attachments are served from a bucket.
func (r *reading) readOffload(ctx context.Context) error {
	set := r.array(optionOffload)
	if !r.blog.set.ActivePlugins[pluginOffload] && !r.blog.set.ActivePlugins[pluginOffloadPro] || !set.Get("serve-from-s3").Truthy() {
		return nil
	}
	at := &Bucket{Scheme: "http", Provider: set.Get("provider").Str()}
	err := r.blog.Query(ctx, sqlHasOffloaded, nil, func(*sql.Rows) error { return nil })
	at.Old = db.MissingTable(err)
	if !at.Old {
		if ok, err := r.readable("as3cf_items", "images that WP Offload Media has moved to a bucket are listed with wrong URLs", err); !ok {
			return err
		}
	}
	if strings.HasPrefix(r.blog.set.Home, "https:") || set.Get("force-https").Truthy() {
		at.Scheme = "https"
	}
	enabled, stored := set.Lookup("enable-delivery-domain")
	form, named := set.Lookup("domain")
	switch {
	case at.Old && (!named || form.Str() == "cloudfront"):
		at.Domain = notOfDomain.ReplaceAllString(set.Get("cloudfront").Str(), "")
	case !at.Old && (!stored || enabled.Truthy()) && set.Get("delivery-provider").Str() != "storage":
		at.Domain = notOfDomain.ReplaceAllString(set.Get("delivery-domain").Str(), "")
	}
	at.Path = !named || form.Str() == "path" || at.Scheme == "https"
	r.blog.bucket = at
	return nil
}

// Secured returns the address of a file as set_url_scheme() does for visitors of home. If home uses HTTPS, so does the
// file, whatever siteurl says.
func (b *Blog) Secured(src string) string {
	if rest, plain := strings.CutPrefix(src, "http://"); plain && strings.HasPrefix(b.set.Home, "https://") {
		return "https://" + rest
	}
	return src
}

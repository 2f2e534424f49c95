package wp

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/formatting"
)

// WP Offload Media has the files of attachments in a bucket, and filters wp_get_attachment_url.

const (
	pluginOffload    = "amazon-s3-and-cloudfront/wordpress-s3.php"
	pluginOffloadPro = "amazon-s3-and-cloudfront-pro/amazon-s3-and-cloudfront-pro.php"
	optionOffload    = "tantan_wordpress_s3"

	sqlHasOffloaded = `SELECT source_id, provider, region, bucket, path, is_private, source_type FROM wp_as3cf_items WHERE id = 0`
	sqlOffloaded    = `SELECT source_id, provider, region, bucket, path, is_private FROM wp_as3cf_items
WHERE source_id IN (?) AND source_type = 'media-library'`
)

var offloadMedia = Inputs{
	Name: "WP Offload Media", Plugins: []string{pluginOffload, pluginOffloadPro}, Options: []string{optionOffload},
	Tables: []Table{{Name: "as3cf_items", Pages: true}},
}

// offload says how the addresses of files in a bucket begin.
type offload struct{ scheme, domain, provider string } // "" for domain: the provider's own

var notOfDomain = regexp.MustCompile(`^[a-zA-Z]*://|[^a-zA-Z0-9.-]`)

// readOffload finds out whether files of attachments are served from a bucket.
func (s *Blog) readOffload(ctx context.Context, o options) error {
	set := o.serialized(optionOffload, s.Notice)
	if !s.set.ActivePlugins[pluginOffload] && !s.set.ActivePlugins[pluginOffloadPro] || !set.Get("serve-from-s3").Truthy() {
		return nil
	}
	err := s.Query(ctx, sqlHasOffloaded, nil, func(*sql.Rows) error { return nil })
	if ok, err := s.readable("as3cf_items", "images that WP Offload Media has in a bucket are listed where they are not", err); !ok {
		return err
	}
	at := &offload{scheme: "http", provider: set.Get("provider").Str()}
	if strings.HasPrefix(s.set.Home, "https:") || set.Get("force-https").Truthy() {
		at.scheme = "https"
	}
	enabled, stored := set.Lookup("enable-delivery-domain")
	if (!stored || enabled.Truthy()) && set.Get("delivery-provider").Str() != "storage" {
		at.domain = notOfDomain.ReplaceAllString(set.Get("delivery-domain").Str(), "")
	}
	s.offload = at
	return nil
}

// placeFiles says of attachments whose files are in a bucket where they are. Private ones have no lasting address, and no file.
func (s *Blog) placeFiles(ctx context.Context, found map[int64]*Attachment) error {
	if s.offload == nil {
		return nil
	}
	var id, private int64
	var provider, region, bucket, file string
	scan := db.Row(func() {
		domain := cmp.Or(s.offload.domain, bucketDomain(provider, region, bucket))
		switch {
		case domain == "" || s.offload.provider != "" && s.offload.provider != provider:
		case private != 0:
			found[id].File = ""
		default:
			dir, name := path.Split(file)
			if !strings.Contains(name, "%") {
				name = formatting.EncodePath(name)
			}
			found[id].bucket = s.offload.scheme + "://" + domain + "/" + dir + name
		}
	}, &id, &provider, &region, &bucket, &file, &private)
	return s.byID(ctx, "reading where files are", sqlOffloaded, slices.Collect(maps.Keys(found)), scan)
}

// bucketDomain is the domain, perhaps with a path, at which a provider has a bucket; "" for one that is not known.
func bucketDomain(provider, region, bucket string) string {
	domain := ""
	switch provider {
	case "aws":
		domain = "s3.amazonaws.com"
		if region != "" && region != "us-east-1" {
			domain = "s3." + region + ".amazonaws.com"
		}
	case "do":
		domain = region + ".digitaloceanspaces.com"
	case "gcp":
		domain = "storage.googleapis.com"
	default:
		return ""
	}
	if strings.Contains(bucket, ".") {
		return domain + "/" + bucket
	}
	return bucket + "." + domain
}

// UploadedURL is the address of an attachment's file by the settings of uploads alone; "" for none.
func (s *Blog) UploadedURL(a *Attachment) string {
	return cmp.Or(a.bucket, s.set.Uploads.FileURL(a.File))
}

// FileURL is the address of an attachment's file, as wp_get_attachment_url has it; "" for none.
func (s *Blog) FileURL(a *Attachment) string { return s.Secured(s.UploadedURL(a)) }

// Secured is the address of a file as set_url_scheme() has it for visitors of home: by HTTPS where home is, whatever siteurl says.
func (s *Blog) Secured(src string) string {
	if rest, plain := strings.CutPrefix(src, "http://"); plain && strings.HasPrefix(s.set.Home, "https://") {
		return "https://" + rest
	}
	return src
}

// InBucket reports whether the file is in a bucket, whatever its address in a text is.
func (a *Attachment) InBucket() bool { return a.bucket != "" }

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
	"wpsitemapd/wp/php"
)

// WP Offload Media has the files of attachments in a bucket, and filters wp_get_attachment_url.

const (
	pluginOffload    = "amazon-s3-and-cloudfront/wordpress-s3.php"
	pluginOffloadPro = "amazon-s3-and-cloudfront-pro/amazon-s3-and-cloudfront-pro.php"
	optionOffload    = "tantan_wordpress_s3"

	sqlHasOffloaded = `SELECT source_id, provider, region, bucket, path, is_private, source_type FROM wp_as3cf_items WHERE id = 0`
	sqlOffloaded    = `SELECT source_id, provider, region, bucket, path, is_private FROM wp_as3cf_items
WHERE source_id IN (?) AND source_type = 'media-library'`

	metaOffloaded = "amazonS3_info" // of attachments: where version 2.2 and older store what the table has
)

var offloadMedia = Inputs{
	Name: "WP Offload Media", Plugins: []string{pluginOffload, pluginOffloadPro}, Options: []string{optionOffload},
	Tables: []Table{{Name: "as3cf_items", Pages: true}}, PostMeta: []string{metaOffloaded},
}

// offload says how the addresses of files in a bucket begin.
type offload struct {
	scheme, provider string
	domain           string // "": the provider's own
	old              bool   // version 2.2 or older: there is no table
	path             bool   // an old version names the bucket in the path
}

var notOfDomain = regexp.MustCompile(`^[a-zA-Z]*://|[^a-zA-Z0-9.-]`)

// readOffload finds out whether files of attachments are served from a bucket.
func (s *Blog) readOffload(ctx context.Context, o options) error {
	set := o.serialized(optionOffload, s.Notice)
	if !s.set.ActivePlugins[pluginOffload] && !s.set.ActivePlugins[pluginOffloadPro] || !set.Get("serve-from-s3").Truthy() {
		return nil
	}
	at := &offload{scheme: "http", provider: set.Get("provider").Str()}
	err := s.Query(ctx, sqlHasOffloaded, nil, func(*sql.Rows) error { return nil })
	at.old = db.MissingTable(err)
	if !at.old {
		if ok, err := s.readable("as3cf_items", "images that WP Offload Media has in a bucket are listed where they are not", err); !ok {
			return err
		}
	}
	if strings.HasPrefix(s.set.Home, "https:") || set.Get("force-https").Truthy() {
		at.scheme = "https"
	}
	enabled, stored := set.Lookup("enable-delivery-domain")
	form, named := set.Lookup("domain")
	switch {
	case at.old && (!named || form.Str() == "cloudfront"):
		at.domain = notOfDomain.ReplaceAllString(set.Get("cloudfront").Str(), "")
	case !at.old && (!stored || enabled.Truthy()) && set.Get("delivery-provider").Str() != "storage":
		at.domain = notOfDomain.ReplaceAllString(set.Get("delivery-domain").Str(), "")
	}
	at.path = !named || form.Str() == "path" || at.scheme == "https"
	s.offload = at
	return nil
}

// placeFiles says of attachments whose files are in a bucket where they are. Private ones have no lasting address, and no file.
func (s *Blog) placeFiles(ctx context.Context, found map[int64]*Attachment) error {
	if s.offload == nil {
		return nil
	}
	ids := slices.Collect(maps.Keys(found))
	if s.offload.old {
		return s.meta(ctx, ids, []string{metaOffloaded}, func(id int64, _, value string) {
			if v, err := php.MaybeUnserialize(value); err == nil && v.Get("key").Truthy() {
				provider := cmp.Or(v.Get("provider").Str(), "aws")
				s.offload.place(found[id], provider, s.offload.oldDomain(provider, v.Get("region").Str(), v.Get("bucket").Str()),
					v.Get("key").Str(), v.Get("acl").Str() == "private")
			}
		})
	}
	var id, private int64
	var provider, region, bucket, file string
	scan := db.Row(func() {
		s.offload.place(found[id], provider, bucketDomain(provider, region, bucket), file, private != 0)
	}, &id, &provider, &region, &bucket, &file, &private)
	return s.byID(ctx, "reading where files are", sqlOffloaded, ids, scan)
}

// place says of an attachment that its file is at a domain of a provider.
func (o *offload) place(a *Attachment, provider, domain, file string, private bool) {
	domain = cmp.Or(o.domain, domain)
	switch {
	case domain == "" || o.provider != "" && o.provider != provider:
	case private:
		a.File = ""
	default:
		dir, name := path.Split(file)
		if !strings.Contains(name, "%") {
			name = formatting.EncodePath(name)
		}
		a.bucket = o.scheme + "://" + domain + "/" + dir + name
	}
}

// oldDomain is bucketDomain of version 2.2 and older.
func (o *offload) oldDomain(provider, region, bucket string) string {
	if provider != "aws" {
		return bucketDomain(provider, region, bucket)
	}
	domain := "s3.amazonaws.com"
	if region != "" && region != "us-east-1" {
		domain = "s3-" + region + ".amazonaws.com"
	}
	if o.path {
		return domain + "/" + bucket
	}
	return bucket + "." + domain
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

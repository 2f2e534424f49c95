package objects

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
)

// The plugin WP Offload Media moves files of attachments to a bucket at a provider. wp.Bucket has its settings. Since version 2.3 a
// table of the plugin says where each file is; before, post meta did.

const sqlOffloaded = `SELECT source_id, provider, region, bucket, path, is_private FROM wp_as3cf_items
WHERE source_id IN (?) AND source_type = 'media-library'`

// InBucket reports whether the file of the attachment is in a bucket.
func (a *Attachment) InBucket() bool { return a.bucket != "" }

// placeFiles sets the addresses of those files of attachments that are in a bucket. A private file has no lasting
// address, so its attachment gets no file.
func placeFiles(ctx context.Context, blog *wp.Blog, found map[int64]*Attachment) error {
	if blog.Bucket() == nil {
		return nil
	}
	ids := slices.Collect(maps.Keys(found))
	if blog.Bucket().Old {
		return blog.EachMeta(ctx, ids, []string{wp.MetaOffloaded}, func(id int64, _, value string) {
			if v, err := php.MaybeUnserialize(value); err == nil && v.Get("key").Truthy() {
				provider := cmp.Or(v.Get("provider").Str(), "aws")
				placeFile(blog.Bucket(), found[id], provider, oldDomain(blog.Bucket(), provider, v.Get("region").Str(), v.Get("bucket").Str()),
					v.Get("key").Str(), v.Get("acl").Str() == "private")
			}
		})
	}
	var id, private int64
	var provider, region, bucket, file string
	scan := db.Row(func() {
		placeFile(blog.Bucket(), found[id], provider, bucketDomain(provider, region, bucket), file, private != 0)
	}, &id, &provider, &region, &bucket, &file, &private)
	return blog.ByID(ctx, "reading where files are", sqlOffloaded, ids, scan)
}

// placeFile records that the file of an attachment is at a provider's domain.
func placeFile(o *wp.Bucket, a *Attachment, provider, domain, file string, private bool) {
	domain = cmp.Or(o.Domain, domain)
	switch {
	case domain == "" || o.Provider != "" && o.Provider != provider:
	case private:
		a.File = ""
	default:
		dir, name := path.Split(file)
		if !strings.Contains(name, "%") {
			name = formatting.EncodePath(name)
		}
		a.bucket = o.Scheme + "://" + domain + "/" + dir + name
	}
}

// oldDomain returns the domain of a bucket as version 2.2 and older of the plugin do.
func oldDomain(o *wp.Bucket, provider, region, bucket string) string {
	if provider != "aws" {
		return bucketDomain(provider, region, bucket)
	}
	domain := "s3.amazonaws.com"
	if region != "" && region != "us-east-1" {
		domain = "s3-" + region + ".amazonaws.com"
	}
	if o.Path {
		return domain + "/" + bucket
	}
	return bucket + "." + domain
}

// bucketDomain returns the domain at which a provider serves a bucket, with a path if needed. It returns "" for an
// unknown provider.
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

package redis

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// sharing makes sure that two processes share all there is of some sites: pages, records, notes and claims; number tells one
// time from another.
func sharing(t *testing.T, one, two *store.Store, number int, sites ...string) {
	t.Helper()
	for _, site := range sites {
		p := servertest.StoredPage(t, site, "1 https://"+site+".test", "post", number)
		two.SavePage(p)
		one.SaveSite(site, []string{"1 https://" + site + ".test"}, number)
		one.SaveNote(store.Note{Site: site, Name: "crawlers"}, number)
		record, note := 0, 0
		wptest.Eventually(t, "all of "+site+" is shared", func() bool {
			return two.Site(site, &record) && two.Note(store.Note{Site: site, Name: "crawlers"}, &note) &&
				one.Page(p.Key) != nil && record == number && note == number
		})
		text := fmt.Sprint(number)
		if !one.Claim(site, text, time.Minute) || two.Claim(site, text, time.Minute) || !one.Claim(site, text, time.Minute) {
			t.Error("a claim is not that of the first alone")
		}
	}
	for _, r := range []*store.Store{one, two} {
		expect.Equal(t, r.Stats().Error, "")
	}
}

func TestRedisByTLS(t *testing.T) {
	t.Parallel()
	right, key := wptest.WriteCertificate(t, t.TempDir(), "redis.test") // and for loopback addresses
	another, _ := wptest.WriteCertificate(t, t.TempDir(), "redis.test")
	server := servertest.StartRedisTLS(t, right, key)
	location := "rediss://:" + servertest.RedisPassword + "@" + server.Addr + "?ca="
	sharing(t, openRedis(t, location+right), openRedis(t, location+right), 1, "a")
	for name, c := range map[string]struct{ location, says string }{
		"signed by another":            {location + another, "x509: "},
		"not signed by any of ours":    {strings.TrimSuffix(location, "?ca="), "certificate signed by unknown authority"},
		"made for another name":        {strings.Replace(location, "127.0.0.1", "localhost", 1) + right, "localhost"},
		"plain, and the server is not": {strings.Replace(strings.TrimSuffix(location, "?ca="), "rediss", "redis", 1), ""},
	} {
		text := ""
		wptest.Eventually(t, name, func() bool { // on a busy machine it may say first that the time was not enough
			text = openRedis(t, c.location).Stats().Error
			return text != "" && strings.Contains(text, c.says)
		}, &text)
		if strings.Contains(text, servertest.RedisPassword) {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// aclCommands are those of the account in docs/operator/redundancy.md.
const aclCommands = "get set hget hset hdel hkeys hlen pexpire memory|usage select"

func TestRedisAccountNeedsFewRights(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../../docs/operator/redundancy.md")
	wptest.Must(t, err)
	words := []any{"SETUSER", "sitemaps", "on", ">other", "~wpsitemapd:*", "resetchannels", "-@all"}
	for _, name := range strings.Fields(aclCommands) {
		if !slices.Contains(strings.Fields(string(manual)), "+"+name) {
			t.Errorf("the manual does not name %s", name)
		}
		words = append(words, "+"+name)
	}
	server := servertest.StartRedis(t)
	server.Do(t, "ACL", words...)
	location := "redis://sitemaps:other@" + server.Addr + "/2"
	one, two := openRedis(t, location), openRedis(t, location)
	sharing(t, one, two, 1, "a")
	// what comes rarely: something damaged, a page that has gone
	p := servertest.StoredPage(t, "a", "1 https://a.test", "post", 1)
	key := (&address{}).root() + "{a}:blobs"
	server.Do(t, "EVAL", "redis.call('SELECT', 2) return redis.call('HSET', unpack(ARGV))", 0, key, "page\n"+p.Blog+"\npost 1", "rubbish")
	if one.Page(p.Key) != nil {
		t.Error("rubbish is served")
	}
	wptest.Eventually(t, "it is dropped", func() bool {
		return server.Do(t, "EVAL", "redis.call('SELECT', 2) return redis.call('HEXISTS', unpack(ARGV))", 0, key, "page\n"+p.Blog+"\npost 1") == int64(0)
	})
	old := servertest.StoredPage(t, "a", "1 https://a.test", "post", 9)
	one.SavePage(old)
	wptest.Eventually(t, "it is there", func() bool { return one.Page(old.Key) != nil })
	one.SaveBlog("a", old.Blog, &catalog.Outline{}, 1)
	wptest.Eventually(t, "a page that has gone is dropped", func() bool { return one.Page(old.Key) == nil })
	log := fmt.Sprint(server.Do(t, "ACL", "LOG"))
	expect.Equal(t, log, "[]", "refused")
	server.Do(t, "ACL", "SETUSER", "sitemaps", "-hset")
	one.SavePage(servertest.StoredPage(t, "a", "1 https://a.test", "post", 5))
	two.SavePage(servertest.StoredPage(t, "a", "1 https://a.test", "post", 5))
	wptest.Eventually(t, "a right that is missing is told of",
		func() bool { return strings.Contains(one.Stats().Error, "NOPERM") || one.Stats().Failed > 0 })
}

func TestRedisAccountIsRefused(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	for name, user := range map[string]string{"no password": "", "another password": ":top-secret@", "another user": "somebody:top-secret@"} {
		text := ""
		wptest.Eventually(t, name, func() bool { // on a busy machine it may say first that the time was not enough
			text = openRedis(t, "redis://"+user+server.Addr).Stats().Error
			return strings.Contains(text, "NOAUTH") || strings.Contains(text, "WRONGPASS")
		}, &text)
		if strings.Contains(text, "top-secret") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

package explain

import (
	"testing"
)

func FuzzSpell(f *testing.F) {
	f.Add("https://a.test/x/?p=1#y", "https://a.test/")
	f.Add("http://a.test:80/%e6%97/page/2/feed", "https://[::1]/")
	f.Fuzz(func(t *testing.T, a, b string) {
		s, err := spell(a)
		home, err2 := spell(b)
		if err != nil || err2 != nil {
			return
		}
		if s.like(&s, func(string) bool { return true }) != same {
			t.Errorf("%q is not the same as itself", a)
		}
		s.below(&home)
		s.cutView()
		s.differences(&home)
	})
}

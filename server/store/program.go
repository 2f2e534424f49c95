package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// Program tells the running program from another version in what daemons share: what it was built from does not, where it was
// built without version control.
var Program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err == nil {
		var f *os.File
		if f, err = openFirst("/proc/self/exe", name); err == nil { // the file may have been replaced
			defer f.Close()
			h := sha256.New()
			if _, err = io.Copy(h, f); err == nil {
				return hex.EncodeToString(h.Sum(nil)[:12])
			}
		}
	}
	return rand.Text() // like no other
})

func openFirst(names ...string) (f *os.File, err error) {
	for _, name := range names {
		if f, err = os.Open(name); err == nil {
			return f, nil
		}
	}
	return nil, err
}

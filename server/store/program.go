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
	name, _ := os.Executable()
	for _, name := range []string{"/proc/self/exe", name} { // the file of the name may have been replaced
		if f, err := os.Open(name); err == nil {
			defer f.Close()
			h := sha256.New()
			if _, err = io.Copy(h, f); err == nil {
				return hex.EncodeToString(h.Sum(nil)[:12])
			}
		}
	}
	return rand.Text() // like no other
})

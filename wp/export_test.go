package wp

// DeclareForTests puts what is read in the place of what is read for WordPress alone.
func DeclareForTests(d *Declared) { ownAlone = d }

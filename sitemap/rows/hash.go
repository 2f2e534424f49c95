package rows

// Mix adds a number to a hash. MixText adds a text.
func Mix(h, n uint64) uint64 {
	h = (h ^ n) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func MixText(h uint64, s string) uint64 {
	for len(s) >= 8 {
		h = Mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
		s = s[8:]
	}
	n := uint64(len(s))
	for i := range len(s) {
		n = n<<8 | uint64(s[i])
	}
	return Mix(h, n)
}

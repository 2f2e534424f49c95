package wp

// locale follows get_locale(): option WPLANG even when it is empty, on a network the
// network's, the constant WPLANG, and American English for none.
func (s *Blog) locale(o options) string {
	locale, ok := o["WPLANG"]
	if !ok {
		locale, ok = s.network.meta["WPLANG"]
	}
	if !ok {
		locale = s.network.constant("WPLANG")
	}
	if locale == "" || locale == "0" {
		return "en_US"
	}
	return locale
}

package wp

import "fmt"

// noteConfig makes notices of what wp-config.php says in a way that is not understood, where the configuration does
// not say it instead. A prefix that is not known is an error: another one than PHP's would lead to another site.
func (n *Network) noteConfig() error {
	replaced := map[string]bool{"dsn": n.source.DSN != "", "table_prefix": n.source.TablePrefix != "", "home": n.source.Home != ""}
	for _, p := range append(n.config.Unknown, n.config.Warnings...) {
		if replaced[p.Setting] {
			continue
		}
		if p.Name == "$table_prefix" && !p.Assumed && !p.Unset {
			return fmt.Errorf("site %s: wp_config: %w", n.source.Name, p)
		}
		n.networkNotices = append(n.networkNotices, "wp_config: "+p.Error())
	}
	return nil
}

package wp

const pluginWooCommerce = "woocommerce/woocommerce.php"

// Woo holds what WooCommerce's options say about addresses. It is the zero value if WooCommerce is not active.
type Woo struct {
	Active   bool
	ForceSSL bool  // option woocommerce_force_ssl_checkout: the pages Checkout and Account use https:
	Cart     int64 // page id, by option woocommerce_cart_page_id; 0: none
	Checkout int64 // page id, by option woocommerce_checkout_page_id; 0: none
	Account  int64 // page id, by option woocommerce_myaccount_page_id; 0: none
}

// wooTraces are options that remain after WooCommerce is switched off.
var wooTraces = []string{"woocommerce_version", "woocommerce_db_version", "woocommerce_permalinks", "current_theme_supports_woocommerce"}

// woo decodes WooCommerce's options.
func (r *reading) woo() Woo {
	o := r.options
	if !r.blog.set.ActivePlugins[pluginWooCommerce] {
		return Woo{}
	}
	page := func(name string) int64 { return max(o.integer("woocommerce_"+name+"_page_id"), 0) }
	return Woo{
		Active: true, ForceSSL: o["woocommerce_force_ssl_checkout"] == "yes",
		Cart: page("cart"), Checkout: page("checkout"), Account: page("myaccount"),
	}
}

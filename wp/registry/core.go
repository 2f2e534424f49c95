package registry

import (
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// core registers the types that WordPress registers itself, except the types in neverPublic. The bases of categories and tags come from
// the options category_base and tag_base, which are never older than the rewrite rules. The base of post_format is set by a filter, so
// that only the rewrite rules show it.
func (d *decider) core() {
	for _, t := range []PostType{{Name: "post"}, {Name: "page", Hierarchical: true}, {Name: "attachment"}} {
		t.BuiltIn, t.Public, t.Viewable, t.WithFront = true, true, true, t.Name == "post"
		t.Sources = postTypes.allFrom(sourceCore)
		d.add(postTypes, &t)
	}

	behindIndexPHP := d.root != ""
	for _, t := range []Taxonomy{
		{Name: "category", QueryVar: "category_name", Slug: TaxonomyBase(d.e.CategoryBase), Hierarchical: true, RewriteHierarchical: true},
		{Name: "post_tag", QueryVar: "tag", Slug: TaxonomyBase(d.e.TagBase)},
		{Name: "post_format", QueryVar: "post_format"},
	} {
		t.BuiltIn, t.Public, t.Rewrite = true, true, true
		t.ObjectTypes = []string{"post"}
		t.Sources = taxonomies.allFrom(sourceCore)
		switch t.Name {
		case "post_format":
			t.Slug, t.WithFront = "type", true
			if r, ok := d.routes.Named(routes.Term, t.Name); ok {
				t.Slug, t.WithFront, _ = d.fold(r.Base, nil)
				t.Sources[keySlug], t.Sources[keyWithFront] = sourceRules, sourceRules
			}
		default:
			// A configured base has no front before it, except behind index.php.
			t.WithFront = t.Slug == "" || behindIndexPHP
			if t.Slug == "" {
				t.Slug = strings.TrimPrefix(t.Name, "post_")
			} else {
				s := FactSource("option " + strings.TrimPrefix(t.Name, "post_") + "_base")
				t.Sources[keySlug], t.Sources[keyWithFront] = s, s
			}
		}
		d.add(taxonomies, &t)
	}
}

// TaxonomyBase returns option category_base or tag_base as WordPress reads it; "" if the site has set none. The settings screen stores
// a slash before it and, on some sites, /index.php. get_option() and _wp_filter_taxonomy_base() remove both at every read.
func TaxonomyBase(stored string) string {
	s := strings.TrimRight(stored, `/\`)
	if s != "" && s != "0" {
		s = strings.Trim(strings.TrimPrefix(s, "/index.php/"), "/")
	}
	if s == "0" {
		return ""
	}
	return s
}

// neverPublic are types of WordPress that are not public, and types that their own plugin keeps out of sitemaps. They
// count as registered only if the table of known plugins or the configuration names them.
var neverPublic = map[kind]map[string]bool{
	postTypes: set("revision", "nav_menu_item", "custom_css", "customize_changeset", "oembed_cache", "user_request",
		"wp_block", "wp_template", "wp_template_part", "wp_global_styles", "wp_navigation", "wp_font_family", "wp_font_face",
		"elementor_library"),
	taxonomies: set("nav_menu", "link_category", "wp_theme", "wp_template_part_area", "wp_pattern_category",
		"elementor_library_type", "elementor_library_category"),
}

// internal are well-known types that plugins use internally. isInternal adds names with one of internalPrefixes, and neverPublic. No
// warning asks the operator about such a type, and rows of Yoast SEO's index alone do not prove the type public.
var internal = map[kind]map[string]bool{
	postTypes: set("shop_order", "shop_order_refund", "shop_order_placehold", "shop_coupon", "shop_webhook", "shop_subscription",
		"product_variation", "scheduled-action", "wpcf7_contact_form", "wpcf7r_action", "flamingo_contact", "flamingo_inbound",
		"flamingo_outbound", "wpforms", "nf_sub", "feedback", "mc4wp-form", "mailpoet_page", "ml-slider", "ml-slide", "wpcode",
		"polylang_mo", "rank_math_schema", "tablepress_table", "custom_post_css", "popup", "popup_theme", "pum_cta", "buddypress",
		"bp-email", "betterdocs_faq", "cartflows_flow", "give_payment", "give_log", "job_guest_user", "lp_order",
		"llms_access_plan", "llms_achievement", "llms_certificate", "llms_coupon", "llms_email", "llms_engagement",
		"llms_form", "llms_my_achievement", "llms_my_certificate", "llms_order", "llms_question", "llms_review", "llms_transaction",
		"llms_voucher", "sensei_email", "stm-orders", "stm-payout", "stm-questions", "stm-reviews", "tec_calendar_embed",
		"tribe-ea-record", "tutor_enrolled", "web-story-font", "web-story-page", "e_global_class", "envira", "envira_album", "soliloquy",
		"modula-gallery", "foogallery", "rl_gallery", "happyform", "um_form", "um_directory", "um_role", "redirect_rule",
		"cookielawinfo", "vc_grid_item", "templatera", "astra-advanced-hook", "gp_elements", "ct_template", "oxy_user_library",
		"bricks_template", "elementskit_template", "elementskit_content", "jet-popup", "jet-theme-core", "jet-woo-builder", "jet-menu",
		"memberpresscoupon", "memberpressrule", "sfwd-transactions", "ld-coupon"),
	taxonomies: set("product_type", "product_visibility", "product_shipping_class", "action-group", "bp-email-type", "bp_member_type",
		"language", "term_language", "post_translations", "term_translations", "translation_priority", "ml-slider",
		"llms_access_plan_visibility", "llms_product_visibility", "pos_product_visibility", "sensei_learner", "web_story_media_source"),
}

var internalPrefixes = []string{"wp_", "acf-", "elementor_", "_pods_", "wpcode_", "wc_", "amp_", "jp_", "wpforms_", "edd_", "frm_", "amn_",
	"forminator_", "metform-", "sureforms_", "et_", "fl-", "fusion_", "brizy", "kadence_", "ngg_", "wprm_", "tribe_rsvp_", "tribe_tpp_",
	"tec_tc_", "cartflows_step_"}

func isInternal(k kind, name string) bool {
	if neverPublic[k][name] || internal[k][name] {
		return true
	}
	for _, p := range internalPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

-- Everything wpsitemapd may read, and nothing it may write. For the database example, the table prefix wp_ and the
-- account sitemaps@localhost: put your own in their places, and a password in that of secret. Then, as an administrator
-- of the database:
--
--     mariadb < grants.sql
--
-- These tables every WordPress has.

CREATE USER sitemaps@localhost IDENTIFIED BY 'secret';

GRANT SELECT ON example.wp_posts              TO sitemaps@localhost;
GRANT SELECT ON example.wp_postmeta           TO sitemaps@localhost;
GRANT SELECT ON example.wp_terms              TO sitemaps@localhost;
GRANT SELECT ON example.wp_term_taxonomy      TO sitemaps@localhost;
GRANT SELECT ON example.wp_term_relationships TO sitemaps@localhost;
GRANT SELECT ON example.wp_options            TO sitemaps@localhost;

-- Of the users: no password, no address, no login.
GRANT SELECT (ID, user_nicename, display_name, user_registered) ON example.wp_users TO sitemaps@localhost;
GRANT SELECT ON example.wp_usermeta           TO sitemaps@localhost;

-- Yoast SEO. It comes last, so that nothing is missing where there is no such table.
GRANT SELECT ON example.wp_yoast_indexable    TO sitemaps@localhost;

-- What follows is for some sites only: take the two dashes away from what yours has.

-- WooCommerce:
-- GRANT SELECT ON example.wp_woocommerce_attribute_taxonomies TO sitemaps@localhost;

-- WPML:
-- GRANT SELECT ON example.wp_icl_languages    TO sitemaps@localhost;
-- GRANT SELECT ON example.wp_icl_translations TO sitemaps@localhost;

-- JetEngine:
-- GRANT SELECT ON example.wp_jet_post_types TO sitemaps@localhost;
-- GRANT SELECT ON example.wp_jet_taxonomies TO sitemaps@localhost;

-- GiveWP:
-- GRANT SELECT ON example.wp_give_formmeta TO sitemaps@localhost;

-- WP Offload Media:
-- GRANT SELECT ON example.wp_as3cf_items TO sitemaps@localhost;

-- All in One SEO:
-- GRANT SELECT ON example.wp_aioseo_posts TO sitemaps@localhost;
-- GRANT SELECT ON example.wp_aioseo_cache TO sitemaps@localhost;

-- SEOPress, Rank Math:
-- GRANT SELECT ON example.wp_termmeta TO sitemaps@localhost;

-- Redirect managers: Redirection, Rank Math:
-- GRANT SELECT ON example.wp_redirection_items      TO sitemaps@localhost;
-- GRANT SELECT ON example.wp_rank_math_redirections TO sitemaps@localhost;

-- Networks (multisite); and all of the above once more for every other blog (wp_2_posts, wp_3_posts …), but for
-- wp_users and wp_usermeta, of which there is one:
-- GRANT SELECT ON example.wp_blogs    TO sitemaps@localhost;
-- GRANT SELECT ON example.wp_site     TO sitemaps@localhost;
-- GRANT SELECT ON example.wp_sitemeta TO sitemaps@localhost;

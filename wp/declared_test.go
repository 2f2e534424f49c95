package wp_test

// All plugins declare what they have in the database, as in the program.
import _ "wpsitemapd/sitemap"

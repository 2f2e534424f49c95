-- Everything wpsitemapd may read, and nothing it may write.
-- {db} is the database, {B} the table prefix of wp-config.php, {P} the prefix of one blog
-- ({B} itself on a single site; {B}2_, {B}3_ … for the other blogs of a network).
-- Leave out tables the site does not have.

CREATE USER {user} IDENTIFIED BY '{password}';

GRANT SELECT ON `{db}`.`{P}posts` TO {user};
GRANT SELECT ON `{db}`.`{P}postmeta` TO {user};
GRANT SELECT ON `{db}`.`{P}terms` TO {user};
GRANT SELECT ON `{db}`.`{P}term_taxonomy` TO {user};
GRANT SELECT ON `{db}`.`{P}term_relationships` TO {user};
GRANT SELECT ON `{db}`.`{P}options` TO {user};
GRANT SELECT ON `{db}`.`{P}yoast_indexable` TO {user};
GRANT SELECT ON `{db}`.`{P}woocommerce_attribute_taxonomies` TO {user};
GRANT SELECT ON `{db}`.`{P}icl_languages` TO {user};
GRANT SELECT ON `{db}`.`{P}icl_translations` TO {user};

-- Of the users: no password, no address, no login.
GRANT SELECT (`ID`, `user_nicename`, `display_name`) ON `{db}`.`{B}users` TO {user};
GRANT SELECT ON `{db}`.`{B}usermeta` TO {user};

-- Networks (multisite) only.
GRANT SELECT ON `{db}`.`{B}blogs` TO {user};
GRANT SELECT ON `{db}`.`{B}site` TO {user};
GRANT SELECT ON `{db}`.`{B}sitemeta` TO {user};
GRANT SELECT ON `{db}`.`{B}domain_mapping` TO {user};

package wp

import (
	"context"
	"slices"

	"wpsitemapd/wp/db"
)

const (
	pluginGive         = "give/give.php"
	typeForm           = "give_forms"
	optionGiveUpgrades = "give_completed_upgrades"
	upgradeFormMeta    = "v20_move_metadata_into_new_table"

	sqlFormMeta       = `SELECT form_id, meta_id, meta_key, meta_value FROM wp_give_formmeta WHERE form_id IN (?) AND meta_key IN (?)`
	sqlFormMetaByKeys = `SELECT form_id, meta_id, meta_key, meta_value FROM wp_give_formmeta WHERE meta_key IN (?)`
)

var givewp = Inputs{
	Name: "GiveWP", Plugins: []string{pluginGive}, Options: []string{optionGiveUpgrades},
	Tables: []Table{{Name: "give_formmeta", Deltas: true, Pages: true}},
}

// hasFormMeta reports whether GiveWP keeps the meta of its forms in a table of its own.
func (s *Site) hasFormMeta(o options, active map[string]bool) bool {
	return active[pluginGive] && slices.Contains(o.serialized(optionGiveUpgrades, s.warn).Strings(), upgradeFormMeta)
}

// formMeta calls fn with the first value of every key for those of the posts that are forms of GiveWP, whose meta is not
// among that of other posts.
func (s *Site) formMeta(ctx context.Context, posts []*Post, keys []string, fn func(p *Post, key, value string)) error {
	if !s.set.FormMeta {
		return nil
	}
	byID := map[int64]*Post{}
	var ids []int64
	for _, p := range posts {
		if p.Type == typeForm {
			byID[p.ID], ids = p, append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return missingIsNone(s.metaFrom(ctx, sqlFormMeta, ids, keys, func(id int64, key, value string) { fn(byID[id], key, value) }))
}

// missingIsNone is an error, but for that of a table that is not there.
func missingIsNone(err error) error {
	if db.MissingTable(err) {
		return nil
	}
	return err
}

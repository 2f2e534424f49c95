package wp

import (
	"context"
	"fmt"
	"slices"

	"wpsitemapd/wp/db"
)

const (
	pluginGive         = "give/give.php"
	typeForm           = "give_forms"
	optionGiveUpgrades = "give_completed_upgrades"
	upgradeFormMeta    = "v20_move_metadata_into_new_table"

	sqlHasFormMeta    = `SELECT meta_id FROM wp_give_formmeta LIMIT 1`
	sqlFormMeta       = `SELECT form_id, meta_id, meta_key, meta_value FROM wp_give_formmeta WHERE form_id IN (?) AND meta_key IN (?)`
	sqlFormMetaByKeys = `SELECT form_id, meta_id, meta_key, meta_value FROM wp_give_formmeta WHERE meta_key IN (?)`
)

var givewp = Inputs{
	Name: "GiveWP", Plugins: []string{pluginGive}, Options: []string{optionGiveUpgrades},
	Tables: []Table{{Name: "give_formmeta", Deltas: true, Pages: true}},
}

// readFormMeta finds out whether GiveWP keeps the meta of its forms in a table of its own.
func (s *Blog) readFormMeta(ctx context.Context, o options) error {
	if !s.set.ActivePlugins[pluginGive] || !slices.Contains(o.serialized(optionGiveUpgrades, s.warn).Strings(), upgradeFormMeta) {
		return nil
	}
	err := s.query(ctx, sqlHasFormMeta, nil, db.Rows1(func(int64) {}))
	if db.MissingTable(err) || db.Denied(err) {
		s.warn(fmt.Sprintf("table %sgive_formmeta cannot be read: forms of GiveWP have neither images nor settings of their own: %v", s.prefix, err))
		return nil
	}
	s.set.FormMeta = err == nil
	return s.wrap("reading the meta of GiveWP's forms", err)
}

// formMeta calls fn with the first value of every key for those of the posts that are forms of GiveWP, whose meta is not
// among that of other posts.
func (s *Blog) formMeta(ctx context.Context, posts []*Post, keys []string, fn func(p *Post, key, value string)) error {
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
	return s.metaFrom(ctx, sqlFormMeta, ids, keys, func(id int64, key, value string) { fn(byID[id], key, value) })
}

package wp

import (
	"context"
	"database/sql"
	"slices"
)

const (
	pluginGive         = "give/give.php"
	TypeForm           = "give_forms"
	optionGiveUpgrades = "give_completed_upgrades"
	upgradeFormMeta    = "v20_move_metadata_into_new_table"

	sqlHasFormMeta    = `SELECT form_id, meta_id, meta_key, meta_value FROM wp_give_formmeta WHERE meta_id = 0`
	sqlFormMeta       = `SELECT form_id, meta_id, meta_key, meta_value FROM wp_give_formmeta WHERE form_id IN (?) AND meta_key IN (?)`
	sqlFormMetaByKeys = `SELECT form_id, meta_id, meta_key, meta_value FROM wp_give_formmeta WHERE meta_key IN (?)`
)

var givewp = Inputs{
	Name: "GiveWP", Plugins: []string{pluginGive}, Options: []string{optionGiveUpgrades},
	Tables: []Table{{Name: "give_formmeta", Deltas: true, Pages: true}},
}

// readFormMeta finds out whether GiveWP keeps the meta of its forms in a table of its own.
func (r *reading) readFormMeta(ctx context.Context) error {
	if !r.blog.set.ActivePlugins[pluginGive] || !slices.Contains(r.array(optionGiveUpgrades).Strings(), upgradeFormMeta) {
		return nil
	}
	err := r.blog.Query(ctx, sqlHasFormMeta, nil, func(*sql.Rows) error { return nil })
	r.blog.set.FormMeta, err = r.readable("give_formmeta", "forms of GiveWP have neither images nor settings of their own", err)
	return err
}

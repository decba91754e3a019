package cdf

import (
	"fmt"
	"testing"
)

// Columns are named in the order of the roles, as numbers where every value is one.
func TestNamedColumns(t *testing.T) {
	for _, c := range []struct {
		roles Roles
		want  string
		only  bool
	}{
		{Roles{}, "[{y response true}]", false},
		{Roles{Features: []Feature{}, Time: "t"}, "[{y response true} {t time false}]", true},
		{
			Roles{
				Response: Feature{Name: "sold"}, Features: []Feature{{Name: "price"}, {Name: "promo", Levels: []string{"no", "yes"}}, {Name: "day", LevelsFirst: true}},
				Groups: []Group{{Column: "shop", Slopes: []string{"price", "size"}}}, Exposure: "days",
			},
			"[{sold response true} {price feature true} {promo feature false} {day feature false} {shop group false} {price slope true} {size slope true} {days exposure true}]", true,
		},
	} {
		all, only := c.roles.Named()
		if got := fmt.Sprint(all); got != c.want || only != c.only {
			t.Errorf("%+v: %s, only %v; want %s, %v", c.roles, got, only, c.want, c.only)
		}
	}
}

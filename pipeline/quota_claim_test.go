package pipeline

import (
	"context"
	"fmt"
	"testing"

	"github.com/credence-stream/credence/pipeline/quota"
)

// uniform is a store of keys of ten bytes each, and notes how many it was asked to weigh.
type uniform struct {
	Store
	keys    int64
	weighed int
}

func (u *uniform) Count(context.Context, Partition, string) (int64, error) { return u.keys, nil }

func (u *uniform) Weigh(_ context.Context, _ Partition, _ string, most int) (quota.Sum, error) {
	n := min(u.keys, int64(most))
	u.weighed += int(n)
	return quota.Sum{Keys: n, Bytes: 10 * n}, nil
}

func (u *uniform) Load(context.Context, Lease, []int64, []string, int64) ([]Stored, error) {
	return nil, nil
}

// A claim weighs a bounded number of keys, however many there are and of however many tenants, and
// takes the others to be as those.
func TestManyKeysAreNotAllWeighed(t *testing.T) {
	for _, c := range []struct {
		tenants int
		keys    int64
	}{{1, 7}, {1, mostWeighed}, {1, 50 * mostWeighed}, {100, mostWeighed}} {
		u, tenants := &uniform{keys: c.keys}, make([]quota.Limit, c.tenants)
		for i := range tenants {
			tenants[i].Prefix = fmt.Sprintf("tenant-%d/", i)
		}
		held, err := countHeld(t.Context(), u, Lease{}, Meta{Exists: true, Format: StateFormat}, tenants)
		if err != nil || u.weighed > mostWeighed {
			t.Errorf("%+v: %d keys are weighed: %v", c, u.weighed, err)
		}
		for _, sum := range held {
			if want := (quota.Sum{Keys: c.keys, Bytes: 10 * c.keys}); sum != want {
				t.Errorf("%+v: a tenant has %+v, want %+v", c, sum, want)
			}
		}
	}
}

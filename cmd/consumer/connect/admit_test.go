package connect

import (
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/internal/embedded"
	"github.com/credence-stream/credence/pipeline/redis"
)

// TestAdmitsWithoutBeats: a group whose beats cannot be kept, as somebody has made something else of their key, works on
// without them, and a store that is away admits nobody.
func TestAdmitsWithoutBeats(t *testing.T) {
	env, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close() //nolint:errcheck // it ends with the test
	client := goredis.NewClient(&goredis.Options{Addr: env.StoreAddr()})
	store, err := redis.New(client, "c", "g")
	if err != nil {
		t.Fatal(err)
	}
	n := &Connection{Store: store}
	if err := client.Set(t.Context(), "credence:{c/g}:members", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := n.admit(t.Context()); err != nil {
		t.Errorf("beats that cannot be kept: %v", err)
	}
	_ = client.Close()
	if n.admit(t.Context()) == nil {
		t.Error("a store that is away admits")
	}
}

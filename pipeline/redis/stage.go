package redis

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// scriptBytes is what passes through a script, or one pipeline of commands, at
// most: keys and values, unless a single value is larger. Lua copies what a
// script is given and what it returns, and more than in proportion above a
// megabyte; the server answers nobody meanwhile.
const scriptBytes = 1 << 20

// apart returns the places of the values that become blobs: those above
// blobBytes, then the largest until the rest fits into a script. The name and
// the pointer of a blob pass through it all the same; named is their length
// without the key.
func apart(changes []pipeline.Change, named int) []int {
	sum, order := 0, make([]int, len(changes))
	for i, c := range changes {
		order[i] = i
		sum += len(c.Key) + len(c.Value)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(changes[b].Value), len(changes[a].Value)) })
	for n, i := range order {
		size, spared := len(changes[i].Value), len(changes[i].Value)-len(changes[i].Key)-named
		if size <= blobBytes && (sum <= scriptBytes || spared <= 0) {
			return order[:n]
		}
		sum -= spared
	}
	return order
}

// stage announces and writes blobs, some at a time. Until a save points to them
// nobody sees them. Where an announced blob was swept nothing is written, and
// the save that follows says why.
func (s *Store) stage(ctx context.Context, k space, lease pipeline.Lease, c pipeline.Checkpoint, ref string, blobs []int) error {
	for len(blobs) > 0 {
		keys, args := []string{k.meta(), k.pending()}, []any{lease.Token, c.From}
		n := 0
		for sum := 0; n < len(blobs); n++ {
			change := c.Changes[blobs[n]]
			name, entry := k.blob(change.Key, ref), pendingEntry(change.Key, ref)
			if sum += len(name) + len(entry) + len(change.Value); sum > scriptBytes && n > 0 {
				break
			}
			keys, args = append(keys, name), append(args, entry)
		}
		if _, err := s.run(ctx, announceScript, keys, args); err != nil {
			return err
		}
		if err := s.together(ctx, n, func(pipe goredis.Pipeliner, i int) {
			pipe.SetArgs(ctx, keys[2+i], []byte(c.Changes[blobs[i]].Value), goredis.SetArgs{Mode: "XX"})
		}); err != nil {
			return err
		}
		blobs = blobs[n:]
	}
	return nil
}

// pendingEntry is how pending names a blob; the bucket is in it because Lua
// has no CRC-32C.
func pendingEntry(key, ref string) string {
	return strconv.Itoa(bucket(key)) + ":" + key + ":" + ref
}

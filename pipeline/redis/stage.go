package redis

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"os"
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
// blobBytes, then the largest until the rest fits into the room of a script. The name and
// the pointer of a blob pass through it all the same; named is their length
// without the key.
func apart(changes []pipeline.Change, named, room int) []int {
	sum, order := 0, make([]int, len(changes))
	for i, c := range changes {
		order[i] = i
		sum += len(c.Key) + len(c.Value)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(changes[b].Value), len(changes[a].Value)) })
	for n, i := range order {
		size, spared := len(changes[i].Value), len(changes[i].Value)-len(changes[i].Key)-named
		if size <= blobBytes && (sum <= room || spared <= 0) {
			return order[:n]
		}
		sum -= spared
	}
	return order
}

// fewBytes is the least that passes through a script or pipeline at most, where the server is slow.
const fewBytes = 64 << 10

// room returns what passes through a script or pipeline at most: as much as the server has
// lately answered to within the limits of a line, so that what is sent again for its
// slowness, over a way that others use as well, is less each time.
func (s *Store) room() int { return scriptBytes - int(s.less.Load()) }

// settle makes room smaller after a request that the server was too slow for, and larger after one that took most of it.
func (s *Store) settle(bytes int, err error) {
	room := s.room()
	switch {
	case err == nil && bytes > room/2:
		room = min(scriptBytes, 2*room)
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		room = max(fewBytes, room/2)
	}
	s.less.Store(int64(scriptBytes - room))
}

// stage announces and writes blobs, some at a time. Until a save points to them
// nobody sees them. Where an announced blob was swept nothing is written, and
// the save that follows says why. What an attempt before has written is not written
// again: however slow the server is, what it has done counts.
func (s *Store) stage(ctx context.Context, k space, lease pipeline.Lease, c pipeline.Checkpoint, ref string, blobs []int) error {
	for len(blobs) > 0 {
		keys, args := []string{k.meta(), k.pending()}, []any{lease.Token, c.From}
		n, room := 0, s.room()
		for sum := 0; n < len(blobs); n++ {
			change := c.Changes[blobs[n]]
			name, entry := k.blob(change.Key, ref), pendingEntry(change.Key, ref)
			if sum += len(name) + len(entry) + len(change.Value); sum > room && n > 0 {
				break
			}
			keys, args = append(keys, name), append(args, entry)
		}
		sums, err := s.run(ctx, announceScript, keys, args)
		if err != nil {
			return err
		}
		var left []int
		bytes := 0
		for i := range n {
			value := c.Changes[blobs[i]].Value
			if sum := textAt(sums, i); sum == "" || sum != sumOf(value) {
				left, bytes = append(left, i), bytes+len(value)
			}
		}
		err = s.together(ctx, len(left), func(pipe goredis.Pipeliner, i int) {
			pipe.SetArgs(ctx, keys[2+left[i]], []byte(c.Changes[blobs[left[i]]].Value), goredis.SetArgs{Mode: "XX"})
		})
		if s.settle(bytes, err); err != nil {
			return err
		}
		blobs = blobs[n:]
	}
	return nil
}

// sumOf is how announce names a value.
func sumOf(value []byte) string {
	sum := sha1.Sum(value)
	return hex.EncodeToString(sum[:])
}

// pendingEntry is how pending names a blob; the bucket is in it because Lua
// has no CRC-32C.
func pendingEntry(key, ref string) string {
	return strconv.Itoa(bucket(key)) + ":" + key + ":" + ref
}

// Package rewind copies all data of an embedded Redis server and puts it back,
// as a restart after a power loss would.
package rewind

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// entry is one key with its value in the shape of its type.
type entry struct {
	Key, Type string
	Values    []string // string: 1; hash: field, value, ...; zset: member, score, ...; set: members
}

// dump reads everything in one step: a script holds the store's only lock.
const dump = `
local out = {}
for i, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key)
  if type(kind) == 'table' then kind = kind.ok end
  local values = {}
  if kind == 'string' then values = {redis.call('GET', key)}
  elseif kind == 'hash' then values = redis.call('HGETALL', key)
  elseif kind == 'set' then values = redis.call('SMEMBERS', key)
  elseif kind == 'zset' then values = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  end
  out[i] = {key, kind, values}
end
return out`

func client(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, MaxRetries: -1})
}

// Save returns a copy of all data of the server as it is at one moment.
func Save(ctx context.Context, addr string) ([]byte, error) {
	c := client(addr)
	defer c.Close() //nolint:errcheck // nothing is pending on it
	reply, err := c.Eval(ctx, dump, nil).Slice()
	if err != nil {
		return nil, fmt.Errorf("save embedded store: %w", err)
	}
	entries := make([]entry, 0, len(reply))
	for _, x := range reply {
		row, ok := x.([]any)
		if !ok || len(row) != 3 {
			return nil, fmt.Errorf("save embedded store: unexpected reply %v", x)
		}
		e := entry{Key: fmt.Sprint(row[0]), Type: fmt.Sprint(row[1])}
		values, _ := row[2].([]any)
		for _, v := range values {
			e.Values = append(e.Values, fmt.Sprint(v))
		}
		entries = append(entries, e)
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(entries)
	return b.Bytes(), err
}

// Restore replaces everything by a copy, in one transaction.
func Restore(ctx context.Context, addr string, saved []byte) error {
	var entries []entry
	if err := gob.NewDecoder(bytes.NewReader(saved)).Decode(&entries); err != nil {
		return fmt.Errorf("restore embedded store: %w", err)
	}
	c := client(addr)
	defer c.Close() //nolint:errcheck // nothing is pending on it
	_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.FlushAll(ctx)
		for _, e := range entries {
			if err := e.write(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

func (e entry) write(ctx context.Context, p redis.Pipeliner) error {
	args := []any{"", e.Key}
	switch e.Type {
	case "string":
		args[0] = "SET"
	case "hash":
		args[0] = "HSET"
	case "set":
		args[0] = "SADD"
	case "zset":
		args[0] = "ZADD"
		for i := 0; i+1 < len(e.Values); i += 2 {
			args = append(args, e.Values[i+1], e.Values[i])
		}
		p.Do(ctx, args...)
		return nil
	default:
		return fmt.Errorf("restore embedded store: key %q has type %q", e.Key, e.Type)
	}
	for _, v := range e.Values {
		args = append(args, v)
	}
	p.Do(ctx, args...)
	return nil
}

package pipeline

import (
	"context"
	"slices"
)

// Several is a Reader that can read many values in a few round trips.
type Several interface {
	// Several returns the values of the first of keys in their order: as many
	// as have no more than the given bytes, and at least one. A nil says to
	// ask Get, which knows whether there is none, a large one or damage.
	Several(ctx context.Context, p Partition, keys []string, bytes int64) ([]Stored, error)
}

// aheadBytes is what is read ahead of a partition, unless one value is larger.
const aheadBytes = 1 << 20

// Ahead returns a reader for a walk through the keys of partitions, page by
// page: with the value of a key it reads those of the keys behind it that
// takes takes, nil: all. A value is handed out once and may be older than the
// call by what a page takes. It is for one goroutine; a reader that cannot
// read several is returned as it is.
func Ahead(r Reader, takes func(key string) bool) Reader {
	many, ok := r.(Several)
	if !ok {
		return r
	}
	return &ahead{r, many, takes, map[Partition]*page{}}
}

type ahead struct {
	Reader
	many  Several
	takes func(string) bool
	pages map[Partition]*page
}

// page is the newest page of keys of a partition, and values that were read
// and not asked for yet.
type page struct {
	keys   []string
	values map[string]Stored
}

// Keys implements Reader.
func (a *ahead) Keys(ctx context.Context, p Partition, prefix, after string, limit int) ([]string, error) {
	keys, err := a.Reader.Keys(ctx, p, prefix, after, limit)
	a.pages[p] = &page{keys: keys}
	return keys, err
}

// Get implements Reader.
func (a *ahead) Get(ctx context.Context, p Partition, key string) (Stored, error) {
	at := a.pages[p]
	if at == nil {
		return a.Reader.Get(ctx, p, key)
	}
	value, ok := at.values[key]
	if !ok {
		i, found := slices.BinarySearch(at.keys, key)
		if !found {
			return a.Reader.Get(ctx, p, key)
		}
		if err := a.read(ctx, p, at, i); err != nil {
			return nil, err
		}
		value = at.values[key]
	}
	delete(at.values, key)
	if value == nil {
		return a.Reader.Get(ctx, p, key)
	}
	return value, nil
}

// read fills a page's values from its i-th key on.
func (a *ahead) read(ctx context.Context, p Partition, at *page, i int) error {
	next := []string{at.keys[i]}
	for _, key := range at.keys[i+1:] {
		if a.takes == nil || a.takes(key) {
			next = append(next, key)
		}
	}
	values, err := a.many.Several(ctx, p, next, aheadBytes)
	if err != nil {
		return err
	}
	at.values = make(map[string]Stored, len(values))
	for i, v := range values {
		at.values[next[i]] = v
	}
	return nil
}

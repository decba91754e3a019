package admin

import (
	"context"
	"slices"

	"github.com/credence-stream/credence/pipeline"
)

// prefetchBytes is what is read ahead of a partition, unless one value is larger.
const prefetchBytes = 1 << 20

// Prefetch returns a reader for a walk through the keys of partitions, page by
// page: with the value of a key it reads those of the keys behind it that
// takes takes, nil: all. A value is handed out once and may be older than the
// call by what a page takes. It is for one goroutine; a reader that cannot
// read several is returned as it is.
func Prefetch(r pipeline.Reader, takes func(key string) bool) pipeline.Reader {
	many, ok := r.(pipeline.BatchReader)
	if !ok {
		return r
	}
	return &prefetcher{r, many, takes, map[pipeline.Partition]*page{}}
}

type prefetcher struct {
	pipeline.Reader
	many  pipeline.BatchReader
	takes func(string) bool
	pages map[pipeline.Partition]*page
}

// page is the newest page of keys of a partition, and values that were read
// and not asked for yet.
type page struct {
	keys   []string
	values map[string]pipeline.Stored
}

// Keys implements Reader.
func (a *prefetcher) Keys(ctx context.Context, p pipeline.Partition, prefix, after string, limit int) ([]string, error) {
	keys, err := a.Reader.Keys(ctx, p, prefix, after, limit)
	a.pages[p] = &page{keys: keys}
	return keys, err
}

// Get implements Reader.
func (a *prefetcher) Get(ctx context.Context, p pipeline.Partition, key string) (pipeline.Stored, error) {
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
func (a *prefetcher) read(ctx context.Context, p pipeline.Partition, at *page, i int) error {
	next := []string{at.keys[i]}
	for _, key := range at.keys[i+1:] {
		if a.takes == nil || a.takes(key) {
			next = append(next, key)
		}
	}
	values, err := a.many.GetBatch(ctx, p, next, prefetchBytes)
	if err != nil {
		return err
	}
	at.values = make(map[string]pipeline.Stored, len(values))
	for i, v := range values {
		at.values[next[i]] = v
	}
	return nil
}

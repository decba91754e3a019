package pipeline

import "sync"

// Pages are the memory of a lane's posteriors from one cut to the next. They are
// written over by later ones once all outputs of the cut are acknowledged; those of
// a claim that was given up are left to the collector, for they may still be read.
// The first outputs of a cut have memory of their own: pages hold at most as much
// that nothing was put into as there is in those. A nil value gives everything
// memory of its own.
type Pages struct {
	pool *pagePool
	full []*[]byte // and the one at hand
	rest []byte    // of that
	own  int       // bytes given without a page
}

// pagePool has the pages that are free.
type pagePool struct {
	size int       // of a page, of which one output takes a small part
	own  int       // bytes of a cut before its first page
	free sync.Pool // of *[]byte
}

// pageBytes is the size of the pages of a worker.
const pageBytes = 32 << 10

// Take returns room for n bytes, which are the caller's to append.
func (p *Pages) Take(n int) []byte {
	if p == nil || p.pool == nil || n > p.pool.size/8 {
		return make([]byte, 0, n)
	}
	if p.own < p.pool.own {
		p.own += n
		return make([]byte, 0, n)
	}
	if n > len(p.rest) {
		page, ok := p.pool.free.Get().(*[]byte)
		if !ok {
			fresh := make([]byte, p.pool.size)
			page = &fresh
		}
		p.full, p.rest = append(p.full, page), *page
	}
	room := p.rest[:0:n]
	p.rest = p.rest[n:]
	return room
}

// cut hands over what the outputs so far lie in.
func (p *Pages) cut() Pages {
	all := *p
	*p = Pages{pool: p.pool}
	return all
}

// giveUp lets later outputs be written over these.
func (p *Pages) giveUp() {
	for _, page := range p.full {
		p.pool.free.Put(page)
	}
	p.full, p.rest = nil, nil
}

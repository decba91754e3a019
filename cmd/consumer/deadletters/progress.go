package deadletters

import (
	"fmt"
	"strconv"
	"strings"
)

// progress says which letters of one partition of the dead letter topic are
// done: sent, or never to be. It lives in the offset that the group <group>.dlq
// has committed and the note beside it.
type progress struct {
	base  int64  // all letters below it are done
	spans []span // done as well, ascending, above base

	open     bool // a letter was left
	adjacent bool // the letter before this one is done
}

// span is a range of offsets [from, to).
type span struct{ from, to int64 }

// maxNote keeps a note below what brokers take, 4096 bytes by default.
const maxNote = 3900

// parseProgress reads what note wrote; what it can't read is not done.
func parseProgress(offset int64, note string) *progress {
	p := &progress{base: max(offset, 0)}
	for part := range strings.SplitSeq(note, ",") {
		var s span
		if n, err := fmt.Sscanf(part, "%d-%d", &s.from, &s.to); n != 2 || err != nil || s.from < p.base || s.to <= s.from {
			break
		}
		p.spans = append(p.spans, s)
	}
	return p
}

// done reports whether a letter is.
func (p *progress) done(offset int64) bool {
	if offset < p.base {
		return true
	}
	for _, s := range p.spans {
		if offset >= s.from && offset < s.to {
			return true
		}
	}
	return false
}

// visit notes what became of the next letter, in ascending order.
func (p *progress) visit(offset int64, done bool) {
	switch {
	case !done:
		p.open, p.adjacent = true, false
	case !p.open:
		p.base = offset + 1
	case p.adjacent:
		p.spans[len(p.spans)-1].to = offset + 1
	default:
		p.spans, p.adjacent = append(p.spans, span{offset, offset + 1}), true
	}
}

// note is the text to keep beside base, with what earlier said of the letters
// from next on, which were not visited yet. What does not fit is left out: its
// letters will be sent once more, and their header tells workers.
func (p *progress) note(next int64, earlier *progress) string {
	spans := p.spans
	if earlier.base > next {
		spans = append(spans[:len(spans):len(spans)], span{next, earlier.base})
	}
	for _, s := range earlier.spans {
		if s.to > next {
			spans = append(spans[:len(spans):len(spans)], span{max(s.from, next), s.to})
		}
	}
	var b strings.Builder
	for _, s := range spans {
		text := strconv.FormatInt(s.from, 10) + "-" + strconv.FormatInt(s.to, 10)
		if b.Len()+len(text)+1 > maxNote {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text)
	}
	return b.String()
}

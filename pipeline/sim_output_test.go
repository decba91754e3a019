package pipeline

import (
	"bytes"
	"errors"
	"hash/crc32"
)

// simBatch is how many outputs one produce request carries.
const simBatch = 3

// simSending is one fxPublish under way: the outputs of each half go one batch
// after the other, both halves at once.
type simSending struct {
	w     *simWorker
	fx    fxPublish
	acked []bool
	halfs int // under way
	wrong int // the half with the output that is refused for ever, -1: none
	err   error
	over  bool
}

// halfOf is the output partition of a key.
func halfOf(key []byte) int { return int(crc32.ChecksumIEEE(key) % 2) }

// publish looks whether the claim holds, and sends.
func (w *simWorker) publish(fx fxPublish) {
	p := &simSending{w: w, fx: fx, acked: make([]bool, len(fx.outputs)), wrong: -1}
	w.sim.clock.after(ioTimeout, func() { p.end(errSimTimeout) })
	look := w.look(fx.lease, fx.watermarks)
	w.sim.request(look.server, look.do, func(err error) {
		if err != nil {
			p.end(err)
			return
		}
		var halfs [2][]int
		for i := range fx.outputs {
			half := halfOf(fx.outputs[i].Key)
			halfs[half] = append(halfs[half], i)
		}
		p.halfs = len(halfs)
		for half, list := range halfs {
			p.send(half, list)
		}
	})
}

// send goes on with one half.
func (p *simSending) send(half int, list []int) {
	if p.over {
		return
	}
	if len(list) == 0 {
		p.closed(half, nil)
		return
	}
	s, batch := p.w.sim, list[:min(simBatch, len(list))]
	var sent []Output
	for _, i := range batch {
		o := p.fx.outputs[i]
		o.Value = bytes.Clone(o.Value)
		sent = append(sent, o)
	}
	write := func() error {
		for i := range sent {
			s.came(&sent[i])
		}
		return nil
	}
	s.request(serverEven+simServer(half), write, func(err error) {
		if err != nil {
			p.closed(half, err)
			return
		}
		if !p.over {
			for _, i := range batch {
				p.acked[i] = true
			}
		}
		p.send(half, list[len(batch):])
	})
}

// closed ends one half, and the sending with the last.
func (p *simSending) closed(half int, err error) {
	var refused *RefusedError
	if errors.As(err, &refused) {
		p.wrong, p.err = half, err
	} else if p.err == nil {
		p.err = err
	}
	if p.halfs--; p.halfs == 0 {
		p.end(p.err)
	}
}

// end answers with what is not acknowledged, what was refused first.
func (p *simSending) end(err error) {
	if p.over {
		return
	}
	p.over = true
	var rest, others []Output
	for i, o := range p.fx.outputs {
		switch {
		case p.acked[i]:
		case halfOf(o.Key) == p.wrong:
			rest = append(rest, o)
		default:
			others = append(others, o)
		}
	}
	p.w.post(evPublished{p.fx.epoch, append(rest, others...), err})
}

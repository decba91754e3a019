package avro

import (
	stdbinary "encoding/binary"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/credence-stream/credence/pipeline/events"
)

// take returns the next bytes.
func (d *decoder) take(n int, at events.Place) ([]byte, error) {
	if n > len(d.value)-d.at {
		return nil, d.tooEarly(at)
	}
	b := d.value[d.at : d.at+n]
	d.at += n
	return b, nil
}

// number reads an int or long.
func (d *decoder) number(at events.Place) (int64, error) {
	v, n := stdbinary.Varint(d.value[d.at:])
	switch {
	case n == 0:
		return 0, d.tooEarly(at)
	case n < 0:
		return 0, d.damaged(at, "a number of more than 64 bits")
	}
	d.at += n
	return v, nil
}

// short reads an int, of which also a union and an enum have one.
func (d *decoder) short(at events.Place) (int32, error) {
	from := d.at
	v, err := d.number(at)
	if err == nil && (v != int64(int32(v)) || d.at-from > stdbinary.MaxVarintLen32) {
		err = d.damaged(at, "an int of more than 32 bits")
	}
	return int32(v), err
}

// sized reads bytes that their length stands before.
func (d *decoder) sized(at events.Place) ([]byte, error) {
	n, err := d.number(at)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, d.damaged(at, "a length of %d", n)
	}
	if n > int64(len(d.value)-d.at) {
		return nil, d.damaged(at, "it ends too early: %d bytes are claimed and %d left", n, len(d.value)-d.at)
	}
	return d.take(int(n), at)
}

// text reads a string.
func (d *decoder) text(at events.Place) ([]byte, error) {
	v, err := d.sized(at)
	if err == nil && !utf8.Valid(v) {
		err = d.damaged(at, "text that is not UTF-8")
	}
	return v, err
}

// chosen returns the branch of a union that comes next; another type is itself.
func (d *decoder) chosen(n *node, at events.Place) (*node, error) {
	if n.kind != union {
		return n, nil
	}
	i, err := d.short(at)
	if err != nil {
		return nil, err
	}
	if i < 0 || int(i) >= len(n.branches) {
		return nil, d.damaged(at, "branch %d of a union of %d", i, len(n.branches))
	}
	return n.branches[i], nil
}

// block begins a block of the items of an array or map, each of which takes at least
// so many bytes. Size is that of the block, -1 where it is not told.
func (d *decoder) block(n *node, at events.Place) (count, size int64, err error) {
	least := int64(n.items.least)
	if n.kind == mapping {
		least++
	}
	size = -1
	if count, err = d.number(at); err != nil || count == 0 {
		return 0, size, err
	}
	if count < 0 {
		if size, err = d.number(at); err != nil {
			return 0, size, err
		}
		count = -count // the least number is its own opposite
		if size < 0 || size > int64(len(d.value)-d.at) {
			return 0, size, d.damaged(at, "a block of %d bytes, of which %d are left", size, len(d.value)-d.at)
		}
	}
	if count < 0 || least > 0 && count > int64(len(d.value)-d.at)/least {
		return 0, size, d.damaged(at, "%d items are claimed, and %d bytes are left", uint64(count), len(d.value)-d.at)
	}
	return count, size, nil
}

// blocks reads the items of an array or map. An item that takes no bytes is bounded
// by what reads it.
func (d *decoder) blocks(n *node, at events.Place, item func() error) error {
	for {
		count, _, err := d.block(n, at)
		if err != nil || count == 0 {
			return err
		}
		for range count {
			if err := item(); err != nil {
				return err
			}
		}
	}
}

// skip passes over a value.
func (d *decoder) skip(n *node, at events.Place, depth int) (err error) {
	if depth > maxSkipped {
		return d.damaged(at, "values more than %d deep in each other", maxSkipped)
	}
	switch n.kind {
	case null:
	case boolean:
		_, err = d.take(1, at)
	case float:
		_, err = d.take(4, at)
	case double:
		_, err = d.take(8, at)
	case fixed:
		_, err = d.take(n.size, at)
	case ratio:
		_, err = d.digits(n, at)
	case text, binary:
		_, err = d.sized(at)
	case union:
		if n, err = d.chosen(n, at); err == nil {
			err = d.skip(n, at, depth+1)
		}
	case record:
		for i := range n.fields {
			if err = d.skip(n.fields[i].node, at, depth+1); err != nil {
				return err
			}
		}
	case array, mapping:
		return d.skipItems(n, at, depth)
	case integer, day, enum:
		_, err = d.short(at)
	default:
		_, err = d.number(at)
	}
	return err
}

func (d *decoder) skipItems(n *node, at events.Place, depth int) error {
	for {
		count, size, err := d.block(n, at)
		switch {
		case err != nil || count == 0:
			return err
		case size >= 0:
			d.at += int(size)
			continue
		case n.kind == array && n.items.least == 0:
			continue // they take nothing, however many they are
		}
		for range count {
			if n.kind == mapping {
				if _, err := d.sized(at); err != nil {
					return err
				}
			}
			if err := d.skip(n.items, at, depth+1); err != nil {
				return err
			}
		}
	}
}

// digits returns the bytes of a decimal.
func (d *decoder) digits(n *node, at events.Place) ([]byte, error) {
	if n.size >= 0 {
		return d.take(n.size, at)
	}
	return d.sized(at)
}

// powers are those of ten that a float64 has exactly.
var powers = func() (p [23]float64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// decimal reads a number of decimal places: the nearest float64, or a whole number
// where there are no places and it fits 64 bits.
func (d *decoder) decimal(n *node, at events.Place) error {
	b, err := d.digits(n, at)
	if err != nil {
		return err
	}
	if len(b) > maxDecimal {
		return d.damaged(at, "a decimal of %d bytes, of which %d are the most", len(b), maxDecimal)
	}
	if len(b) <= 8 {
		var v int64
		if len(b) > 0 && b[0]&0x80 != 0 {
			v = -1
		}
		for _, x := range b {
			v = v<<8 | int64(x)
		}
		switch {
		case n.scale == 0:
			return d.sheet.Integer(at, v, nil)
		case n.scale < len(powers) && v >= -1<<53 && v <= 1<<53:
			return d.sheet.Float(at, float64(v)/powers[n.scale], nil)
		}
	}
	v := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if n.scale == 0 && v.IsInt64() {
		return d.sheet.Integer(at, v.Int64(), nil)
	}
	f, _ := strconv.ParseFloat(v.String()+"e-"+strconv.Itoa(n.scale), 64) // out of range: infinite
	return d.sheet.Float(at, f, nil)
}

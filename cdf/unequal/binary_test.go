package unequal

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// An account is read as it was written, into the room of another, and what cannot be is not.
func TestRead(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 91))
	var a, copied Account
	y, group := make([]float64, 100), make([]int32, 100)
	for i := range y {
		y[i], group[i] = r.NormFloat64(), int32(i%7)
	}
	a.Add(y, group, 8, new(Room))
	a.Early = true
	b := a.Append([]byte("x"))[1:]
	got := Account{Groups: make([]Group, 3, 20)}
	rest, ok := got.Read(append(bytes.Clone(b), 7, 8))
	if !ok || !bytes.Equal(rest, []byte{7, 8}) || !reflect.DeepEqual(got, a) {
		t.Errorf("%+v is read as %+v, %v, and leaves %v", a, got, ok, rest)
	}
	for n := range b {
		if _, ok := new(Account).Read(b[:n]); ok {
			t.Errorf("%d bytes of %d are read", n, len(b))
		}
	}
	copied.Groups = make([]Group, 20)
	if a.CopyTo(&copied); !reflect.DeepEqual(copied, a) {
		t.Errorf("%+v is copied as %+v", a, copied)
	}
	copied.Groups[0].first++
	if copied.Groups[0] == a.Groups[0] {
		t.Error("a copy shares its groups")
	}
	nan := float32(math.NaN())
	for name, spoil := range map[string]func(a *Account){
		"threes":   func(a *Account) { a.Threes = -1 },
		"many":     func(a *Account) { a.Threes = recalled + 1 },
		"scale":    func(a *Account) { a.Scale = -1 },
		"middle":   func(a *Account) { a.Middle = 1.5 },
		"sum":      func(a *Account) { a.Sum = nan },
		"infinite": func(a *Account) { a.Sum = float32(math.Inf(-1)) },
		"variance": func(a *Account) { a.Variance = -1 },
		"first":    func(a *Account) { a.Groups[3].first = nan },
		"second":   func(a *Account) { a.Groups[0].second = float32(math.Inf(1)) },
		"count":    func(a *Account) { a.Groups[0].count = 4 + 3 },
	} {
		var bad Account
		a.CopyTo(&bad)
		spoil(&bad)
		if _, ok := new(Account).Read(bad.Append(nil)); ok {
			t.Errorf("%s: %+v is read", name, bad)
		}
	}
	b[headBytes] = 2 // neither true nor false
	if _, ok := new(Account).Read(b); ok {
		t.Error("2 is a truth")
	}
}

package app

import (
	"fmt"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

func TestDroppedInWords(t *testing.T) {
	list := []cdf.Drop{{Column: "log(sold)", Reason: cdf.DropUndefined, Rows: 104}, {Column: "price", Reason: cdf.DropMissing, Rows: 1100}, {Column: "shop", Reason: cdf.DropUnlisted, Rows: 3}}
	if got, want := Dropped(list), "1,100 without price, 104 where log(sold) is not finite, 3 with a level of shop that is not listed"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i := range 10 {
		list = append(list, cdf.Drop{Column: fmt.Sprint("x", i), Reason: cdf.DropMissing, Rows: 1})
	}
	if got, want := Dropped(list), "1,100 without price, 104 where log(sold) is not finite, 3 with a level of shop that is not listed, 1 without x0, 1 without x1, 1 without x2, 7 for 7 other reasons"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

package arithmetic

import (
	"runtime"
	"testing"
)

// Bytes that tests compare are those of Reference. Where another release of Go computes otherwise, this says so before they do.
func TestReference(t *testing.T) {
	if runtime.GOARCH != "amd64" || Fuses() {
		t.Logf("%s, fused: %v, has the arithmetic %s", runtime.GOARCH, Fuses(), ID())
		if ID() == Reference {
			t.Errorf("%s computes with the bits of amd64: tests may compare bytes", runtime.GOARCH)
		}
		return
	}
	if id := ID(); id != Reference {
		t.Errorf("the standard library computes with other bits than before: %s, which was %s. States of before go on, but what tests compare with is to be made anew", id, Reference)
	}
}

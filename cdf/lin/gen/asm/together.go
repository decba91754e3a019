package asm

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Together writes a loop over n vectors of AVX-512: four of them at once, so that one does
// not wait for another's chain, then one at a time. body takes k and what is pointed to
// that far on.
func Together(n reg.GPVirtual, body func(k int)) {
	for _, k := range []int{4, 1} {
		label := map[int]string{4: "four", 1: "one"}[k]
		Label(label)
		CMPQ(n, U8(k))
		JLT(LabelRef(label + "end"))
		body(k)
		SUBQ(U8(k), n)
		JMP(LabelRef(label))
		Label(label + "end")
	}
}

// Several makes a vector for each of k.
func Several(k int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, k)
	for i := range v {
		v[i] = ZMM()
	}
	return v
}

package jsontext

import (
	"strconv"

	"github.com/credence-stream/credence/cdf"
)

// Drop has the JSON form that AppendDrops writes.
type Drop struct {
	Column string `json:"column"`
	Reason string `json:"reason"`
	Rows   int64  `json:"rows"`
}

// AppendDrops appends a list of objects with column, reason and rows.
func AppendDrops(dst []byte, list []cdf.Drop) []byte {
	return AppendList(dst, list, func(dst []byte, d cdf.Drop) []byte {
		dst = AppendString(append(dst, `{"column":`...), d.Column)
		dst = AppendString(append(dst, `,"reason":`...), d.Reason)
		return append(strconv.AppendInt(append(dst, `,"rows":`...), d.Rows, 10), '}')
	})
}

// Drops returns the list as a summary has it.
func Drops(list []Drop) (drops []cdf.Drop) {
	for _, d := range list {
		drops = append(drops, cdf.Drop(d))
	}
	return drops
}

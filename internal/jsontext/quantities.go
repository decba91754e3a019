package jsontext

import "github.com/credence-stream/credence/cdf/quantity"

// Quantities has the JSON form that AppendQuantities writes.
type Quantities []Quantity

// Quantity is one of them.
type Quantity struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Absent string `json:"absent"`
}

// AppendQuantities appends a list of objects with name and kind, and why there is no row
// of those that are absent.
func AppendQuantities(dst []byte, list []quantity.Told) []byte {
	dst = append(dst, '[')
	for i, q := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(append(dst, `{"name":`...), q.Name)
		dst = AppendString(append(dst, `,"kind":`...), string(q.Kind))
		if q.Absent != "" {
			dst = AppendString(append(dst, `,"absent":`...), q.Absent)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// Told returns the quantities as a summary has them.
func (q Quantities) Told() (list []quantity.Told) {
	for _, one := range q {
		list = append(list, quantity.Told{Name: one.Name, Kind: quantity.Kind(one.Kind), Absent: one.Absent})
	}
	return list
}

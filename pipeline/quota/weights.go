package quota

// Weights are the bytes of tenants' states at a checkpoint. They are kept beside it, so that the
// next claim need not look at every key; they say of which checkpoint they are, so that whatever
// else was written since makes them those of another one.
type Weights struct {
	Token string           `json:"token"` // of who saved it
	At    int64            `json:"at"`    // its watermark
	Bytes map[string]int64 `json:"bytes"` // by prefix
}

// Of returns the bytes of a prefix in the state that the owner of a token left at a watermark, false
// where they are not known.
func (w Weights) Of(token string, at int64, prefix string) (int64, bool) {
	n, ok := w.Bytes[prefix]
	return n, ok && token != "" && w.Token == token && w.At == at
}

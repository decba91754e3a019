package live

import (
	"encoding/binary"
	"slices"
)

// wordsID names a list of words; 0 is one without any.
type wordsID uint32

// words are lists of words that many points share: names of variables and of inputs, kinds. A list is
// held once, however many points have it, and forgotten with the last of them.
type words struct {
	ids    map[string]wordsID // by the text of the list
	lists  []wordList         // by id, from 1 on
	free   []wordsID
	recent [useLimit]wordsID // by use: what comes next is often the same
	bytes  int64
	text   []byte // of the list at hand
}

// use is what words are for.
type use int

const (
	useKind use = iota
	useNames
	useInputs
	useLimit
)

// wordList is a list; the words lie in its text.
type wordList struct {
	text  string
	words []string
	held  int // how often
}

// wordListBytes is what a list holds beside its text and its words.
const wordListBytes = 120

func newWords() words { return words{ids: map[string]wordsID{}, lists: make([]wordList, 1)} }

// hold returns the list with these words, which it copies, and holds it once more.
func (w *words) hold(of use, list []string) wordsID {
	if len(list) == 0 {
		return 0
	}
	id := w.recent[of]
	if id == 0 || !slices.Equal(w.lists[id].words, list) {
		id = w.find(list)
		w.recent[of] = id
	}
	w.lists[id].held++
	return id
}

// find returns the list with these words, a new one if there is none.
func (w *words) find(list []string) wordsID {
	w.text = w.text[:0]
	for _, s := range list {
		w.text = append(binary.AppendUvarint(w.text, uint64(len(s))), s...)
	}
	if id, ok := w.ids[string(w.text)]; ok {
		return id
	}
	l := wordList{text: string(w.text), words: make([]string, len(list))}
	rest := l.text
	for i, s := range list {
		var length [binary.MaxVarintLen64]byte
		rest = rest[binary.PutUvarint(length[:], uint64(len(s))):]
		l.words[i], rest = rest[:len(s)], rest[len(s):]
	}
	id := wordsID(len(w.lists))
	if n := len(w.free); n > 0 {
		id, w.free = w.free[n-1], w.free[:n-1]
		w.lists[id] = l
	} else {
		w.lists = append(w.lists, l)
	}
	w.ids[l.text] = id
	w.bytes += l.bytes()
	return id
}

// again holds a list that is held once more.
func (w *words) again(id wordsID) {
	if id != 0 {
		w.lists[id].held++
	}
}

// leave holds a list once less.
func (w *words) leave(id wordsID) {
	if id == 0 {
		return
	}
	l := &w.lists[id]
	if l.held--; l.held > 0 {
		return
	}
	w.bytes -= l.bytes()
	delete(w.ids, l.text)
	*l = wordList{}
	w.free = append(w.free, id)
	for of := range w.recent {
		if w.recent[of] == id {
			w.recent[of] = 0
		}
	}
}

// get returns a list. It does not change, also when it is forgotten.
func (w *words) get(id wordsID) []string { return w.lists[id].words }

// size returns the bytes that a list holds.
func (w *words) size(id wordsID) int64 {
	if id == 0 {
		return 0
	}
	return w.lists[id].bytes()
}

func (l *wordList) bytes() int64 { return wordListBytes + int64(len(l.text)+16*len(l.words)) }

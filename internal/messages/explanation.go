package messages

// Explanation is what is known of a message, as programs read it.
type Explanation struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`  // error or warning
	Shape string `json:"shape"` // its text, with … in place of values
	From  string `json:"from"`  // the folder of the sources that say it
	About string `json:"about"` // what such messages mean, and what helps
	Page  string `json:"page"`  // of the documentation
}

// Explain explains the message of an identifier, or that which a text is an instance of.
func Explain(what string) (Explanation, bool) {
	m, ok := ByID(what)
	for _, kind := range "EW" {
		if !ok {
			m, ok = Find(byte(kind), what)
		}
	}
	if !ok {
		return Explanation{}, false
	}
	kind := "error"
	if m.ID[0] == 'W' {
		kind = "warning"
	}
	topic := m.Topic()
	return Explanation{m.ID, kind, m.Shape(), m.From, topic.About, topic.Page}, true
}

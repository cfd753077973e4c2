package messages

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Every topic has a page that is there, an explanation, and messages of its own. Warnings are explained by their texts, and
// of errors most: the topics of whole folders are for what is left.
func TestTopics(t *testing.T) {
	list := topics()
	of := map[string]int{}
	byText := map[byte]int{}
	kinds := map[byte]int{}
	for _, m := range All() {
		topic := m.Topic()
		of[topic.About]++
		kinds[m.ID[0]]++
		if len(topic.parts) > 0 {
			byText[m.ID[0]]++
		}
	}
	for _, topic := range list {
		if _, err := os.Stat(filepath.Join("../../docs", topic.Page)); err != nil {
			t.Error(err)
		}
		if of[topic.About] == 0 && !slices.Contains(topic.folders, gone) || len(topic.About) < 40 {
			t.Errorf("%d messages are explained by %q", of[topic.About], topic.About)
		}
		for _, part := range topic.parts {
			found := false
			for _, m := range All() {
				found = found || m.belongs(Topic{parts: []string{part}})
			}
			if !found {
				t.Errorf("no message has %q any more; change it in topics.txt", part)
			}
		}
	}
	for kind, least := range map[byte]float64{'W': 0.9, 'E': 0.8} {
		if share := float64(byText[kind]) / float64(kinds[kind]); share < least {
			t.Errorf("%.2f of the messages of kind %c are explained by their texts, want %.2f at least", share, kind, least)
		}
	}
}

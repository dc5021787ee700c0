// Holds daybook's tree, checkpoints and proofs to Go's own sumdb/tlog and sumdb/note, and makes a
// log of its own for daybook's verifier. `npm run check:go` runs it.
package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type consistency struct {
	OldSize int64    `json:"old_size"`
	Size    int64    `json:"size"`
	Hashes  []string `json:"hashes"`
}

type entry struct {
	Index int64  `json:"index"`
	Type  string `json:"type"`
	Entry string `json:"entry,omitempty"`
	Leaf  string `json:"leaf,omitempty"`
	Proof string `json:"proof"`
}

type receipt struct {
	Format        string         `json:"format"`
	Merchant      string         `json:"merchant"`
	About         map[string]any `json:"about"`
	Checkpoint    string         `json:"checkpoint"`
	NotCoveredYet int            `json:"not_covered_yet"`
	Consistency   []consistency  `json:"consistency"`
	Entries       []entry        `json:"entries"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "WRONG:", err)
		os.Exit(1)
	}
}

func fail(format string, values ...any) { check(fmt.Errorf(format, values...)) }

func get(url string) []byte {
	answer, err := http.Get(url)
	check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != 200 {
		fail("%s answers %d: %s", url, answer.StatusCode, body)
	}
	return body
}

func parseTree(text string) tlog.Tree {
	lines := strings.Split(text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	hash, err := tlog.ParseHash(lines[2])
	check(err)
	return tlog.Tree{N: size, Hash: hash}
}

func hashesOf(lines []string) []tlog.Hash {
	hashes := []tlog.Hash{}
	for _, line := range lines {
		hash, err := tlog.ParseHash(line)
		check(err)
		hashes = append(hashes, hash)
	}
	return hashes
}

// Opens a note with each of these keys alone: every one must have signed.
func open(msg []byte, keys []string) string {
	text := ""
	for _, key := range keys {
		verifier, err := note.NewVerifier(key)
		check(err)
		opened, err := note.Open(msg, note.VerifierList(verifier))
		check(err)
		text = opened.Text
	}
	return text
}

// The index, the hashes and the checkpoint of a .tlog-proof.
func parseProof(text string) (int64, []tlog.Hash, string) {
	head, checkpoint, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" {
		fail("no proof: %s", text)
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	check(err)
	return index, hashesOf(lines[2:]), checkpoint
}

// Reads daybook's tiles as Go's own client does; Go saves none of them.
type tiles struct {
	base string
	read int
}

func (t *tiles) Height() int { return 8 }

func (t *tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	all := [][]byte{}
	for _, tile := range wanted {
		path := strings.TrimPrefix(tile.Path(), "tile/8/")
		all = append(all, get(t.base+"/transparency/tile/"+path))
		t.read++
	}
	return all, nil
}

func checkOurs(base string, folder string) {
	keys := []string{}
	for _, line := range strings.Split(strings.TrimSpace(string(get(base+"/transparency/key"))), "\n") {
		keys = append(keys, strings.Fields(line)[0])
	}
	tree := parseTree(open(get(base+"/transparency/checkpoint"), keys))
	fmt.Printf("checkpoint of %d entries: note.Open holds with each of %d keys\n", tree.N, len(keys))

	reader := &tiles{base: base}
	hashes := tlog.TileHashReader(tree, reader)
	root, err := tlog.TreeHash(tree.N, hashes)
	check(err)
	if root != tree.Hash {
		fail("the tiles have the root %v, not %v", root, tree.Hash)
	}
	fmt.Printf("tiles: tlog.TileHashReader reads %d of them, tlog.TreeHash gives the root\n", reader.read)

	leaves := []byte{}
	for n := int64(0); n < tree.N; n += 256 {
		width := tree.N - n
		if width > 256 {
			width = 256
		}
		wanted := []tlog.Tile{{H: 8, L: 0, N: n / 256, W: int(width)}}
		data, err := reader.ReadTiles(wanted)
		check(err)
		leaves = append(leaves, data[0]...)
	}
	stored := []tlog.Hash{}
	known := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := []tlog.Hash{}
		for _, index := range indexes {
			found = append(found, stored[index])
		}
		return found, nil
	})
	for n := int64(0); n < tree.N; n++ {
		var leaf tlog.Hash
		copy(leaf[:], leaves[32*n:])
		more, err := tlog.StoredHashesForRecordHash(n, leaf, known)
		check(err)
		stored = append(stored, more...)
	}
	root, err = tlog.TreeHash(tree.N, known)
	check(err)
	if root != tree.Hash {
		fail("the leaves have the root %v, not %v", root, tree.Hash)
	}
	fmt.Printf("leaves: %d tiles hold %d, of which Go makes the same tree\n", (tree.N+255)/256, len(leaves)/32)

	step := tree.N/50 + 1
	records := 0
	for index := int64(0); index < tree.N; index += step {
		proof := string(get(fmt.Sprintf("%s/transparency/proof/inclusion?index=%d", base, index)))
		at, ours, _ := parseProof(proof)
		leaf, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
		check(err)
		check(tlog.CheckRecord(ours, tree.N, tree.Hash, at, leaf[0]))
		theirs, err := tlog.ProveRecord(tree.N, index, hashes)
		check(err)
		if fmt.Sprint(ours) != fmt.Sprint([]tlog.Hash(theirs)) {
			fail("entry %d: tlog.ProveRecord makes another proof", index)
		}
		records++
	}
	fmt.Printf("inclusion: tlog.CheckRecord holds for %d proofs, tlog.ProveRecord makes the same\n", records)

	trees := 0
	for size := int64(1); size <= tree.N; size += step {
		var ours consistency
		url := fmt.Sprintf("%s/transparency/proof/consistency?from=%d&to=%d", base, size, tree.N)
		check(json.Unmarshal(get(url), &ours))
		older, err := tlog.TreeHash(size, hashes)
		check(err)
		proof := hashesOf(ours.Hashes)
		check(tlog.CheckTree(proof, tree.N, tree.Hash, size, older))
		theirs, err := tlog.ProveTree(tree.N, size, hashes)
		check(err)
		if fmt.Sprint(proof) != fmt.Sprint([]tlog.Hash(theirs)) {
			fail("size %d: tlog.ProveTree makes another proof", size)
		}
		trees++
	}
	fmt.Printf("consistency: tlog.CheckTree holds for %d proofs, tlog.ProveTree makes the same\n", trees)

	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	check(err)
	entries := 0
	for _, file := range files {
		var given receipt
		content, err := os.ReadFile(file)
		check(err)
		check(json.Unmarshal(content, &given))
		for _, each := range given.Entries {
			index, proof, checkpoint := parseProof(each.Proof)
			of := parseTree(open([]byte(checkpoint), keys))
			leaf := tlog.RecordHash([]byte(each.Entry))
			if each.Entry == "" {
				leaf = hashesOf([]string{each.Leaf})[0]
			}
			check(tlog.CheckRecord(proof, of.N, of.Hash, index, leaf))
			entries++
		}
	}
	fmt.Printf("receipts: tlog.CheckRecord holds for %d entries of %d receipts\n", entries, len(files))
}

// A log that Go makes and signs, as a receipt of a payment, with checkpoints to keep.
func makeTheirs(folder string, size int64) {
	const origin = "go.example/log"
	stored := []tlog.Hash{}
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := []tlog.Hash{}
		for _, index := range indexes {
			found = append(found, stored[index])
		}
		return found, nil
	})
	texts := []string{}
	for n := int64(0); n < size; n++ {
		data := fmt.Sprintf(`{"number":%d}`, n)
		metadata := `{"merchant":"go"}`
		texts = append(texts, fmt.Sprintf(
			"daybook event 1\nstream 10 payment-go\nrevision %d\nid %032x\ntype 4 Made\n"+
				"data json %d %s\nmetadata json %d %s\n",
			n, n, len(data), data, len(metadata), metadata))
		more, err := tlog.StoredHashes(n, []byte(texts[n]), reader)
		check(err)
		stored = append(stored, more...)
	}
	secret, key, err := note.GenerateKey(rand.Reader, origin)
	check(err)
	signer, err := note.NewSigner(secret)
	check(err)
	signed := func(of int64) string {
		root, err := tlog.TreeHash(of, reader)
		check(err)
		encoded := base64.StdEncoding.EncodeToString(root[:])
		msg, err := note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n", origin, of, encoded)}, signer)
		check(err)
		return string(msg)
	}
	lines := func(hashes []tlog.Hash) []string {
		all := []string{}
		for _, hash := range hashes {
			all = append(all, base64.StdEncoding.EncodeToString(hash[:]))
		}
		return all
	}
	made := receipt{Format: "daybook receipt 1", Merchant: "go", Checkpoint: signed(size)}
	made.About = map[string]any{"payment": "go"}
	for n := int64(0); n < size; n++ {
		proof, err := tlog.ProveRecord(size, n, reader)
		check(err)
		head := append([]string{"c2sp.org/tlog-proof@v1", fmt.Sprintf("index %d", n)}, lines(proof)...)
		text := strings.Join(append(head, "", made.Checkpoint), "\n")
		made.Entries = append(made.Entries, entry{Index: n, Type: "Made", Entry: texts[n], Proof: text})
		older, err := tlog.ProveTree(size, n+1, reader)
		check(err)
		made.Consistency = append(made.Consistency, consistency{n + 1, size, lines(older)})
		check(os.WriteFile(filepath.Join(folder, fmt.Sprintf("kept-%d", n+1)), []byte(signed(n+1)), 0o600))
	}
	content, err := json.Marshal(made)
	check(err)
	check(os.WriteFile(filepath.Join(folder, "receipt.json"), content, 0o600))
	check(os.WriteFile(filepath.Join(folder, "key"), []byte(key), 0o600))
}

func main() {
	if os.Args[1] == "ours" {
		checkOurs(os.Args[2], os.Args[3])
		return
	}
	size, err := strconv.ParseInt(os.Args[3], 10, 64)
	check(err)
	makeTheirs(os.Args[2], size)
}

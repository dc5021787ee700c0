// Checks receipts of a daybook log: signatures, proofs, ranges and sums. Exits 1 if any is wrong.
//   node verify.mjs <receipt.json> … --key <verifier key> [--kept <file of a checkpoint>] …
// Formats: RFC 6962, 2.1; c2sp.org/signed-note, tlog-checkpoint, tlog-proof; docs/auditors.md.
import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const bytes = (base64) => Buffer.from(base64, 'base64')
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()
const nodeOf = (left, right) => left && right && sha256(Buffer.of(1), left, right)
const splitOf = (size) => 2 ** Math.floor(Math.log2(size - 1)) // Largest power of two below it.

/** Where a proof leads: from the leaf at a place (from 1) to the root, or to those of two trees. */
function rootsOf(place, size, hashes, proof) {
  const isEnd = hashes.length === 1 ? size === 1 : place === size
  if (isEnd) return place === size && proof.length === 0 ? hashes : []
  const [split, sibling, rest] = [splitOf(size), proof.at(-1), proof.slice(0, -1)]
  if (place > split)
    return rootsOf(place - split, size - split, hashes, rest).map((hash) => nodeOf(sibling, hash))
  const roots = rootsOf(place, split, hashes, rest)
  return [...roots.slice(0, -1), nodeOf(roots.at(-1), sibling)]
}

function checkContinues({ log, consistency }, { size, root, name }) {
  const proof = (consistency.find(({ old_size }) => old_size === size)?.hashes ?? []).map(bytes)
  const isKnown = size === log.size || Number.isInteger(Math.log2(size))
  const [shared, ...rest] = isKnown ? [root, ...proof] : proof
  const [earlier, later] = rootsOf(size, log.size, [shared, shared], rest)
  const hint = proof.length > 0 ? '' : `; ask for the receipt with ?from=${size}`
  assert(earlier?.equals(root) && later?.equals(log.root), `it does not continue ${name}${hint}`)
}

function openKey(text) {
  const [name, id, ...base64] = text.split('+')
  const der = bytes(`MCowBQYDK2VwAyEA${bytes(base64.join('+')).toString('base64', 1)}`)
  return [`${name}+${id}`, createPublicKey({ key: der, format: 'der', type: 'spki' })]
}

/** The checkpoint in a note that one of the keys has signed. */
function openNote(note, keys, name) {
  const [origin, size, root] = note.split('\n')
  const text = Buffer.from(`${origin}\n${size}\n${root}\n`)
  const isSigned = [...note.matchAll(/^— \S+ (\S+)$/gm)].some(([, base64]) => {
    const key = keys.get(`${origin}+${bytes(base64).toString('hex', 0, 4)}`)
    return key && verify(null, text, key, bytes(base64).subarray(4))
  })
  assert(isSigned, `the checkpoint is not signed by a key of ${origin} that you gave`)
  return { size: Number(size), root: bytes(root), name }
}

/** An entry that stands in the log. Its data stand beside it where it holds their digest. */
function openEntry(given, { checkpoint, merchant, log }) {
  const { index, entry, proof, line } = given
  const leaf = entry ? sha256(Buffer.of(0), Buffer.from(entry)) : bytes(given.leaf)
  const [, , ...hashes] = proof.slice(0, -checkpoint.length - 2).split('\n')
  const whole = ['c2sp.org/tlog-proof@v1', `index ${index}`, ...hashes, '', checkpoint].join('\n')
  const [root] = rootsOf(index + 1, log.size, [leaf], hashes.map(bytes))
  assert(proof === whole && root?.equals(log.root), `entry ${index} does not stand in the log`)
  if (!entry) return { index, line, charge: line?.charge }
  const lines = entry.split('\n').map((text) => text.replace(/^[a-z]+( json)? \d+ /, ''))
  const [, stream, , , type, held, metadata] = lines
  const text = given.data ?? held
  const isHeld = text === held || held.endsWith(sha256(Buffer.from(text)).toString('base64'))
  assert(isHeld && JSON.parse(metadata).merchant === merchant, `entry ${index} is something else`)
  return { index, line, stream, type, data: JSON.parse(text), charge: JSON.parse(text).charge }
}

/** What an event adds to the sums: a fee alone, if it is withheld. */
function totalOf({ type, data, line: { currency }, charge: { fee, vat, taxcode, interchange } }) {
  if (!data) return { currency, taxcode, fees: { scope_fee: fee, scope_fee_vat: vat } }
  const sign = type === 'PaymentRefunded' || type === 'PaymentDisputed' ? -1 : 1
  const [amount, additionalAmount] = [sign * data.amount, sign * (data.additionalAmount ?? 0)]
  const fees = { transaction_fee: fee, transaction_fee_vat: vat, interchange }
  return { currency, taxcode, amount, additionalAmount, fees }
}

const add = (...sums) => sums.reduce((sum, one) => sum + BigInt(one ?? 0), 0n)
function addUp(totals) {
  const sums = {}
  for (const { currency, taxcode, fees, ...pots } of totals)
    for (const [name, part] of Object.entries({ ...pots, ...fees }))
      sums[`${currency} ${taxcode} ${name}`] = add(sums[`${currency} ${taxcode} ${name}`], part)
  return sums
}

/** Where a report or settlement begins and ends. Its sums have to follow from its events. */
function checkRange(receipt, paid) {
  const [events, number] = [receipt.events, receipt.about.report ?? receipt.about.settlement]
  const find = (kind, of) =>
    events.find(({ type, data }) => kind.test(type) && (data.report ?? data.serial) === of)
  const [begin, end] = [number - 1, number].map((of) => find(/^ReportClosed|^SettlementSt/, of))
  const done = find(/^ReportCompleted|^SettlementMade/, number)
  assert(end && done && (begin || number === 1), 'what begins or ends it is missing')
  const [from, to, own] = [begin?.index ?? 0, end.index, end.stream]
  const isOwn = (one) => (one.line ? from <= one.index && one.index < to : one.stream === own)
  assert(events.every(isOwn), 'it holds an entry that is not its own')
  const isLeftOut = ({ index }) => from <= index && index < to && !receipt.indices.has(index)
  assert(!receipt.about.settlement || !paid.some(isLeftOut), 'it leaves out a capture or refund')
  const { logRange = { from, to }, totals, payouts = [] } = done.data
  assert(logRange.from === from && logRange.to === to, 'it names another range of the log')
  const named = { name: `${own} ${number}`, size: to, root: bytes(logRange.root ?? '') }
  if (logRange.root) checkContinues(receipt, named)
  const counted = events.filter(({ line, charge }) => line && charge)
  const [said, made] = [addUp(totals), addUp(counted.map(totalOf))]
  const isOff = (name) => add(said[name]) !== add(made[name]) && !name.includes('settlement_fee')
  const off = Object.keys({ ...said, ...made }).find(isOff)
  assert(!off, `${off} is ${add(said[off])}, and its events make ${add(made[off])}`)
  for (const { currency, ...payout } of payouts) {
    const sums = Object.entries(said).filter(([name]) => name.startsWith(currency))
    const net = add(...sums.map(([name, sum]) => (name.endsWith('mount') ? sum : -sum)))
    const debt = (of, when) => add(of[`unsettledFees${when}`], of[`unsettledRefunds${when}`])
    const isOurs = (one) => one.currency === currency
    const last = find(/^SettlementMade/, number - 1)?.data.payouts.find(isOurs)
    const isGone = ({ type, data }) => /^DebtWr/.test(type) && data.serial < number && isOurs(data)
    const gone = events.filter(isGone).flatMap(({ data }) => [data.fees, data.refunds])
    const before = last ? add(debt(last, 'After'), ...gone) : debt(payout, 'Before')
    const after = debt(payout, 'After') + add(payout.payout) - add(payout.billed)
    assert(before + net === after, `the payout in ${currency} does not follow from its sums`)
  }
  console.log(`  ${named.name}: entries ${from} to ${to - 1}; its sums follow from its events`)
  return { ...named, next: logRange.root && `${own} ${number + 1}` }
}

let [file, last, paid] = ['the keys', undefined, []]
process.on('uncaughtException', ({ message }) => {
  console.error(`WRONG: ${file}: ${message}`)
  process.exit(1)
})
const words = process.argv.slice(2)
const after = (name) => words.filter((_, at) => words[at - 1] === name)
const isFile = (word, at) => !word.startsWith('--') && !words[at - 1]?.startsWith('--')
const read = (path) => readFileSync((file = path), 'utf8')
const texts = after('--key').flatMap((text) => text.match(/\S+\+\S+/g) ?? [])
const keys = new Map(texts.map(openKey))
const kept = after('--kept').map((path) => openNote(read(path), keys, path))
for (const path of words.filter(isFile)) {
  const receipt = JSON.parse(read(path))
  receipt.log = openNote(receipt.checkpoint, keys)
  receipt.events = receipt.entries.map((entry) => openEntry(entry, receipt))
  receipt.indices = new Set(receipt.events.map(({ index }) => index))
  assert(receipt.indices.size === receipt.events.length, 'an entry stands in it twice')
  for (const one of kept) checkContinues(receipt, one)
  const withheld = receipt.events.filter(({ data }) => !data).length
  console.log(`${path}: its entries stand in the log (${withheld} withheld: they name a payer)`)
  const range = receipt.about.payment ? undefined : checkRange(receipt, paid)
  paid.push(...receipt.events.filter(({ type, charge }) => charge && /^Payment/.test(type)))
  if (range && last?.next === range.name) checkContinues(receipt, last)
  last = range
}
console.log('Everything holds.')

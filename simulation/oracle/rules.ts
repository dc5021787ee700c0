/** Sentences of `docs/interface.md` that the oracle goes by; a test finds each of them there. */
export const rules = {
  repeatedPost:
    '4.2 The same POST, equal after defaults, answers as the first did; other data is a 409.',
  made: '1.2 201, `Location` (full URL), body `{"id": "<id>"}`',
  unknownPos: '2.5 lines that do not add up, an unknown POS, ledger or serial number',
  states: '4.4 | from | what happens | status, code | callback |',
  captureAllowed: '4.3 authorised and not expired, else 409',
  captureTooMuch: '4.3 more than is left: 400',
  refundTooMuch: '4.3 more than was captured: 400',
  released: '4.3 pending, or authorised with something left',
  partRepeated: '4.3 the same id with the same figures is 204 without a second effect',
  allRepeated: '4.3 A release that has taken effect, and a capture or refund of',
  twoPots: '4.3 neither can be captured or refunded out of the other',
  expiry: '4.5 at `now >= date_expires` nothing can be captured and every read',
  outcome: '4.6 `amount` = captured + released + available (`auth_amount`) in either pot.',
  openReport: '8.2 A line belongs to the report that was open at its position in the log',
  closedReport: '8.2 closes it (optionally with a',
  net: '8.3 `net` = `gross` − the sum of `fees`, interchange among them.',
  fees: '9 Each line is rounded half to even at the minor unit;',
  summary: '8.3 One entry for each currency and tax code',
  ranges: '8.2 range of the log that it covers',
  paid: '10 `ordered` (a payment file asks the bank for it)',
  journal: '10 Behind it stands a double-entry journal: postings of each event sum to zero',
  written: '1.2 changes the fields that are given',
  messages: '13.7 lists messages, newest first, with `uris`, `next` and a summary of each',
  settledOnce: '10 A line is in exactly one settlement.',
  payout: '10 A net below zero pays nothing out.',
  disputed: '10.1 Its amount is at most what is captured and neither refunded nor disputed',
  corrected: '10.2 One person of the operator proposes it, another one approves it',
  transactions: "8.7 an element for each line of the merchant's ledgers that moves money",
  balances: '8.7 net, balance_before, balance_after` (of that ledger and currency, by net)',
  cursor: '8.7 `next` never skips or repeats a line, whatever is written meanwhile.',
  nextSince: '8.7 `next_since` is the `cursor` from which later lines follow.',
  days: '8.8 of the lines that the sums are over.',
  payments: '8.9 `captured` and `refunded` have the additional amounts, `amount` has not.',
  portal: '18.1 Payments.** The filters of the list stand in its address: `q`',
  search: '18.1 finds by one text, each kind as far as the role sees it elsewhere',
  turnover: '18 the turnover of today and of',
  entries: '20.2 has the entries by account, merchant and booking day',
  merchants: '20.1 found by a part of the name, the id or a number; those that wait for approval',
  openDisputes: '20.2 lists the open disputes of all merchants, the next deadline first.',
  callbackOrder: '13.4 in order for each resource',
  callbackBytes:
    '13.2 a callback is a pure function of the log and can be made again byte for byte.',
  callbackDue: '13.4 Delivery** is at least once',
  destination: '13.10 sends every matching message from then on again, in order for each resource.',
  feed: '13.8 It has every message that a callback tells of the merchant',
  lists: '1.2 100 entries a page, newest first',
  walk: '1.2 A walk over the pages sees each entry exactly once',
  fresh: '19.1 A read shows all that was acknowledged before it was asked, on any node.',
  isolated: '3.6 A resource of another merchant is 404, never 403.',
  unchanged:
    '6 A request that is answered 4xx has changed nothing, but that one-time codes and ' +
    'failures to sign in count, and that a Pusher channel that it names belongs to the ' +
    'merchant from then on (13.6).',
  acts: '6 {"error_type", "error_description", "error_details"}',
  noBug: '6 a bug, told with the request',
  level: '3.2 creating, changing and ending users, `action: refund`, `DELETE /pos/<id>/`',
  bankTold: '12 The funding source behind a port says whether the money is good.',
  altered: "14.1 the log's Merkle tree in the formats of c2sp.org",
  audit: '3.10 So it can be shown later who ordered it',
} as const

export type Rule = keyof typeof rules

/** What a rule says, without the number of its section. */
export const sentenceOf = (rule: Rule): string => rules[rule].replace(/^\S+ /, '')

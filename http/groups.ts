/** Groups of operations, in reading order for newcomers. */
export const groups = {
  'Payment request': 'Ask a payer for money, capture, release and refund it, and read the outcome.',
  POS: 'The points of sale that payment requests come from.',
  Shortlink: 'Codes that payers scan, on a screen or in print.',
  Attachment: 'Receipts, item lists and pictures for a payment that was accepted.',
  'Permission request': 'Ask a payer for access to what they are known by.',
  OAuth: 'The authorization server: applications, sign-in and consent, tokens, claims.',
  Ledger: 'The books of the merchant, and their reports.',
  Settlement: 'What was paid out, and to which account.',
  Log: 'The lines of reports and settlements.',
  Merchant: 'What is known of the merchant.',
  User: 'Who may make requests for the merchant.',
  'Status code': 'What the numbers in outcomes mean.',
  Callback: 'What the service sends to the addresses of the merchant.',
  Transparency: 'Checkpoints and proofs that the log is only ever added to.',
  Audit: 'What auditors see: streams, events, stories, refusals, checkpoints.',
  Payer: 'What an app of payers uses.',
  Pages: 'What payers see in a browser.',
  Portal: 'What the staff of a merchant see in a browser.',
  Operator: 'What the people of the operator see in a browser.',
  Service: 'The service itself: its health, its keys, this description.',
  Sandbox: 'The side of the payer, and the clock, for rehearsals.',
} as const satisfies Readonly<Record<string, string>>

/** The group that a route carries; tags and documentation follow. */
export type Group = keyof typeof groups

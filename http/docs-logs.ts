/** What stands in the logs of reports and settlements (interface 8), in CommonMark. */
export const logsText = `## Logs

The logs of a report or a settlement are CSV (RFC 4180) in UTF-8. What a spreadsheet would run as a
formula has an apostrophe before it, such as \`'+4799999901\`.

A transaction log is sorted by \`tid\`, then by time:

- \`tid\`, \`sub_id\`: the payment request, and the \`capture_id\` or \`refund_id\`.
- \`timestamp\`, \`action\`: \`request\`, \`auth\`, \`capture\`, \`refund\`, \`release\`, \`abort\` (by the merchant,
  before the answer), \`expire\`, or \`fail\` (declined, refused funds, no such payer). What is left of a
  partly captured authorisation is a \`release\`, also when it expires.
- \`type\`: \`credit\` or empty.
- \`customer\`: as the request named them; empty once they are erased.
- \`currency\`, \`amount\`, \`additional_amount\`: what the action was about, in both pots.
- \`gross\`: both pots together where money moves, on captures and, below zero, on refunds; else zero.
- \`fee\`, \`interchange\`, \`vat\`: what it costs; \`net\` is \`gross\` less these three.
- \`taxcode\`: by which \`vat\` is reckoned on fees. \`NO:2013\`, which comes with the service, is that of
  Norway: nothing on payments and settlements, 25 % on permission requests. The operator may add others;
  \`GET /merchant/v1/fee_schedule/\` tells what you pay, and the VAT on it.
- \`merchant_id\`, \`settlement_id\`: the latter where it was known when the log was made.
- \`reserved1\`, \`reserved2\`: empty.
- \`pos_id\`, \`pos_tid\`, \`text\`: as the request named them; the \`text\` of a refund is its reason, where it
  has one. Line breaks in it are blanks.

The log of a settlement ends with a line of the action \`fee\` for what the settlement costs in each
currency, so that its \`net\` column, less what its scope log costs, adds up to the \`net\` of the payout.

A scope log has a line for each status of a permission request: \`rid\`, \`timestamp\`, \`status\` (\`pending\`,
\`ok\` once it is answered, also with a no, or \`fail\`), \`customer\`, \`currency\`, \`fee\`, \`vat\`, \`taxcode\`,
\`merchant_id\`, \`settlement_id\`, \`reserved1\` to \`reserved3\`, \`pos_id\`, \`pos_tid\` and \`text\`.

New columns only ever come last, and the logs of a report that is closed stay as they are.`

import type { Names } from './brand.ts'
import { callbackText } from './docs-callbacks.ts'
import { logsText } from './docs-logs.ts'
import { emptyDigest, fenced, signedRequest, type ExampleKey } from './docs-signing.ts'
import { openIdText } from './docs-openid.ts'
import { verifierText } from './docs-verifiers.ts'
import { answerToMalformed, malformed } from './errors.ts'
import { levels, securitySchemesOf } from './openapi-security.ts'

/** The service that is described. */
export type About = {
  readonly names: Names
  readonly publicUrl: string | undefined
  readonly exampleKey: ExampleKey
  readonly isSandbox: boolean
  /** Which paths pages of any origin may ask. */
  readonly openPaths: readonly string[]
}

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

const paymentBody = JSON.stringify({
  ...{ pos_id: 'till-1', pos_tid: 'order-1', action: 'auth', currency: 'NOK', amount: '12.50' },
  ...{ allow_credit: false, customer: '+4799999901' },
})

const firstPayment = ({ names, isSandbox }: About, base: string): string => {
  const whose = isSandbox ? '; merchant, user, POS and payer are those of the sandbox' : ''
  const acceptance = isSandbox
    ? '; `POST /sandbox/v1/payment_request/<tid>/accept/` does it for them here'
    : ''
  return `## A first payment

Paths follow the address of the service, here \`${base}\`. A till asks for a payment with the
secret of its user${whose}:

${fenced(`POST /merchant/v1/payment_request/ HTTP/1.1
Host: ${new URL(base).host}
${names.merchant}: sandbox
${names.user}: pos1
Authorization: SECRET sandbox-secret
Content-Type: application/json

${paymentBody}`)}

1. The answer is 201, with the URL of the payment request in \`Location\` and
   \`{"id":"<tid>","uri":null}\` as body. A request without \`customer\` gets a \`uri\`, the
   checkout page to send the payer to. It shows the shop's logo, and leads to
   \`success_return_uri\` or \`failure_return_uri\` in the end. Who goes back before signing in
   comes to \`failure_return_uri\`, and the request is still pending: read the outcome there.
2. The payer accepts${acceptance}.
   \`GET /merchant/v1/payment_request/<tid>/outcome/\` tells the \`status\`: \`pending\`,
   \`auth\` (accepted), \`ok\` or \`fail\`, and why in \`status_code\`. A \`callback_uri\` in the
   request gets the events that are listed under Callback.
3. \`PUT /merchant/v1/payment_request/<tid>/\` with \`{"action":"capture"}\` takes the money, until
   \`date_expires\` of the outcome: 3 days after the payer has accepted. In the same place,
   \`release\` (or \`abort\`) drops what is left, \`reauth\` gives 3 new days, and \`refund\`,
   which must be signed, pays back.`
}

/** Each header that carries credentials, once. */
const headerLines = (names: Names): string[] => {
  const said = new Map<string, string>()
  for (const scheme of Object.values(securitySchemesOf(names))) {
    const isHeader = 'name' in scheme
    const name = isHeader ? scheme.name : 'Authorization'
    const kind = isHeader ? '' : `\`${scheme.scheme === 'basic' ? 'Basic' : 'Bearer'} …\`. `
    said.set(name, [said.get(name) ?? [], kind + scheme.description].flat().join(' '))
  }
  return [...said].map(([name, text]) => `\`${name}\`: ${text}`)
}

const headers = (names: Names): string => `## Headers

${list(headerLines(names))}

Every answer carries \`X-Request-Id\`: please name it when you ask about one.`

const otherOrigins = ({ openPaths }: About): string => `## Pages of other origins

${list(openPaths.map((path) => `\`${path}\``))}

These answer pages of any origin, with \`Access-Control-Allow-Origin: *\`, errors too: they go by what
a request brings, and by no cookie. \`Access-Control-Expose-Headers\` shows those pages
\`WWW-Authenticate\` and \`X-Request-Id\`. \`OPTIONS\` answers 204 there, and 405 elsewhere.`

const levelText = `## Levels

Each operation names the level that it takes; \`SECRET\` is opened by what \`KEY\` takes, too.

${list(Object.entries(levels).map(([level, text]) => `\`${level}\`: ${text}.`))}

A request may be refused for where it comes from: users and merchants can have a netmask.`

const signing = ({ names, isSandbox, exampleKey }: About, base: string): string => {
  const ofAdmin = isSandbox
    ? '; that of the user `admin` is `sandbox-admin-key.pem` in the directory of the data'
    : ''
  return `## Signing

1. Put the digest of the body into \`${names.contentDigest}\`, and the time into
   \`${names.timestamp}\`. The digest of no body is \`${emptyDigest}\`.
2. Make the string to sign, \`METHOD|URL|HEADERS\`. \`URL\` is the full URL with its query and
   without a fragment, scheme and host in lower case, the rest as it is sent. \`HEADERS\` are all
   headers whose names begin with \`${names.signedPrefix}\` in upper case, each as \`NAME=value\`
   with its name in upper case, sorted by name and joined with \`&\`; nothing is encoded.
3. Sign it with \`RSASSA-PKCS1-v1_5\` and SHA-256, and send the signature in base64 as \`Authorization:
   RSA-SHA256 <signature>\`.

This request

${signedRequest(names, base, exampleKey)}

with this key, which is that of the example and of no user:

${fenced(exampleKey.pem)}

A shell makes the signature so, with the string to sign in \`$text\`:

${fenced(`printf '%s' "$text" | openssl dgst -sha256 -sign key.pem | openssl base64 -A`)}

For a signature that is wrong, \`error_details.string_to_sign\` shows the string that the service
has expected. Keys are RSA of 2048 to 4096 bits${ofAdmin}.`
}

const bodies = (names: Names): string => `## Bodies

Bodies are JSON in UTF-8, at most 1 MiB, sent as \`application/json\` or \`${names.json}\` and
answered as the latter; \`Accept\` can name either. Logs are \`${names.csv}\`. Fields that are not
known are ignored.

\`null\` is the same as a field that is absent, and so is a text that is empty or blank: where the
field is required, both are refused. Texts are trimmed, except secrets and PINs. A PUT leaves what is
absent as it is; \`""\` takes away what can be absent, and \`[]\` empties a list. All faults of a body
are told in one answer.

URLs of the merchant interface end with a slash, except that of the logo. A URI inside a body is an
absolute path of this service, or a full URL where the operator has chosen that; \`Location\`, the
\`uri\` of a checkout page, and \`meta.uri\` of callbacks are always full URLs. A POST that makes something answers 201 with
\`Location\` and \`{"id":"<id>"}\`.

## Money and times

Money is text with a period and exactly the decimals of its currency (ISO 4217), such as \`"12.50"\`
NOK, \`"1250"\` JPY or \`"1.250"\` KWD. What is sent may have fewer decimals, or be a number; more
decimals, signs, exponents, and more than 12 digits before the period are refused. \`amount\` and
\`additional_amount\` (a tip, say) are two pots: neither is captured or refunded out of the other.

Times are UTC, \`YYYY-MM-DD hh:mm:ss\`; durations are whole seconds. At \`date_expires\`, a request
has expired.`

const exampleError = JSON.stringify(
  answerToMalformed(
    malformed({ issues: [{ path: ['line_items', 0, 'total'], message: 'Is required.' }] }),
  ).body,
  null,
  2,
)

const errors = `## Errors

Every error has these three members. \`error_type\` is \`validation_error\` where fields are wrong,
and \`error_details\` names them; otherwise it is the phrase of the status, such as \`Not Found\`.

${fenced(exampleError)}

- 400: the request is malformed, or its fields do not fit.
- 401: the description says which check of the credentials has failed.
- 404: there is no such resource, or it is another merchant's.
- 405, 406, 413, 415: the method (\`Allow\` names those there are), the types in \`Accept\`, the
  size, or the type of the body.
- 409: it conflicts with what is there, such as an id that was used with other data.
- 429: too much is asked at once; 503: the service cannot answer just now. Try again, after
  \`Retry-After\` where it is given.
- 500: an error of ours. The description has the id of the request.`

const repetition = `## Sending again

A request whose answer was lost can be sent again as it was, signed with a new timestamp:

- A POST under an id of your own (\`id\`, or \`pos_id\` and \`pos_tid\`) answers as the first did,
  with the same data; with other data it is a 409. Without an id of your own, each makes a resource.
- A PUT that has taken effect answers 204 again, and has no second effect. Captures are told apart
  by \`capture_id\`, refunds by \`refund_id\`; the same id with other amounts is a 409. Without an
  id it is all that is left, once. A renewal renews from the instant of each request: three days
  from then on, and a 409 once the authorisation is over.
- A resource that is deleted is a 404.

A read shows every write that was acknowledged before it.

## Lists

A list is \`{"uris":[…],"next":…}\`: paths of its resources, the newest first, 100 a page. \`next\`
is where the following page is, \`null\` on the last one; its cursor is opaque. Whatever comes and
goes meanwhile, a walk shows once what was there from its start to its end.`

/** Where the examples take place, when no address is known beforehand. */
const exampleBase = 'https://pay.example'

/** What a stranger must know before the first request, in CommonMark; a `<` stands in code only. */
export const introduction = (about: About): string => {
  const { names, publicUrl } = about
  const base = publicUrl ?? exampleBase
  return [
    'Merchant payment and authorisation service: merchants, payers, and OAuth 2.0.',
    firstPayment(about, base),
    headers(names),
    levelText,
    otherOrigins(about),
    signing(about, base),
    bodies(names),
    errors,
    repetition,
    logsText,
    callbackText(about),
    verifierText(about),
    openIdText,
  ].join('\n\n')
}

import type { About } from './docs-introduction.ts'
import { signedCallback } from './docs-signing.ts'

/** What a receiver of callbacks must know, in CommonMark. */
export const callbackText = ({ names, isSandbox, exampleKey }: About): string => {
  const rehearsal = isSandbox
    ? ' `POST /sandbox/v1/callback/` sends a `test_event` to any address.'
    : ''
  return `## Callbacks

A payment request, a permission request, a shortlink and the closing of a report can have a
\`callback_uri\`, to which messages are sent with POST. A message is \`{"meta":{…},"object":{…}}\`;
\`meta.event\` says what has happened, and \`object\` is the resource as of that very event. Over
\`https\`, the receiver needs a certificate of a known authority, or of one that the operator has
named. Over \`http\` there is no \`object\`: what it would hold is read at \`meta.uri\`, with the
merchant's own credentials. Only a scan, a text for a display and a test always have theirs.
\`pusher:\` addresses are not served yet.

Answer 2xx within 10 seconds, and do the work afterwards. Otherwise the message is sent again, after
about 5 seconds, 30 seconds, 2, 10 and 30 minutes, and then hourly and slower, for 3 days; 410
ends that at once. Redirects are not followed. A message comes at least once: leave out a
\`meta.id\` that you have seen. Messages about one resource come in order, as \`meta.seqno\` counts
them; only the scans of a shortlink do not wait for one another.

Check each message before you believe it:

1. \`${names.contentDigest}\` is the digest of the body, of its bytes as they came.
2. \`${names.timestamp}\` is at most 5 minutes off.
3. The signature in \`Authorization: RSA-SHA256 <signature>\` is good for the string to sign, which
   is made as that of a request, with \`POST\` and the \`callback_uri\` as it was registered (scheme
   and host in lower case). The public keys are at \`/callback_keys.json\`, as \`rsa_pem\` and as
   \`rsa_jwk\`: any of them may have signed, and the list may have grown when none has.
   \`/callback_key.pem\` is one of them.

This message, signed with the key of the example under Signing,

${signedCallback(names, exampleKey)}

The headers of Standard Webhooks go along: \`webhook-id\`, \`webhook-timestamp\`, and
\`webhook-signature\` as \`v1a\` (Ed25519), whose keys are \`ed25519\` in the same list (and
\`ed25519_pem\`, \`ed25519_jwk\`). A library
for them can be used that knows \`v1a\`; many know \`v1\` only, which is for shared secrets. By
hand: behind \`whpk_\` stands the raw key in base64, behind \`v1a,\` the signature, and what is
signed is \`<webhook-id>.<webhook-timestamp>.<body>\`.

Whoever checks no signatures takes a message for a hint only, makes sure that \`meta.uri\` is an
\`https\` URL of this service, and reads there what has happened.

The \`display_message_uri\` of a payment request gets a \`display_message\` when the payer
scans the code, accepts or declines, and when the funds are refused.${rehearsal}`
}

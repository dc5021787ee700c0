import type { About } from './docs-introduction.ts'
import { fenced } from './docs-signing.ts'

const node = `const { createHash, verify } = require('node:crypto')

// headers as Node gives them, body as a Buffer, keys of /callback_keys.json
function isGenuine(url, headers, body, keys) {
  const digest = 'SHA256=' + createHash('sha256').update(body).digest('base64')
  const timestamp = headers['x-service-timestamp'] ?? ''
  const age = Date.now() - Date.parse(timestamp.replace(' ', 'T') + 'Z')
  if (headers['x-service-content-digest'] !== digest) return false
  if (!(Math.abs(age) <= 300_000)) return false
  const [scheme, signature = ''] = (headers.authorization ?? '').split(' ')
  if (scheme !== 'RSA-SHA256') return false
  const text = 'POST|' + url + '|X-SERVICE-CONTENT-DIGEST=' + digest +
    '&X-SERVICE-TIMESTAMP=' + timestamp
  const isBy = (key) =>
    verify('sha256', Buffer.from(text), key.rsa_pem, Buffer.from(signature, 'base64'))
  return keys.some(isBy)
}`

const python = `import base64, calendar, hashlib, time
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_public_key

def is_genuine(url, headers, body, keys):
    sent = {name.lower(): value for name, value in headers.items()}
    digest = "SHA256=" + base64.b64encode(hashlib.sha256(body).digest()).decode()
    timestamp = sent.get("x-service-timestamp", "")
    scheme, _, signature = sent.get("authorization", "").partition(" ")
    if sent.get("x-service-content-digest") != digest or scheme != "RSA-SHA256":
        return False
    text = f"POST|{url}|X-SERVICE-CONTENT-DIGEST={digest}&X-SERVICE-TIMESTAMP={timestamp}"
    for key in keys:
        try:
            at = calendar.timegm(time.strptime(timestamp, "%Y-%m-%d %H:%M:%S"))
            load_pem_public_key(key["rsa_pem"].encode()).verify(
                base64.b64decode(signature), text.encode(), PKCS1v15(), SHA256())
            return abs(time.time() - at) <= 300
        except (InvalidSignature, ValueError):
            continue
    return False`

const php = `function is_genuine(string $url, array $headers, string $body, array $keys): bool {
    $sent = array_change_key_case($headers);
    $digest = 'SHA256=' . base64_encode(hash('sha256', $body, true));
    $timestamp = $sent['x-service-timestamp'] ?? '';
    $at = strtotime($timestamp . ' UTC');
    if (($sent['x-service-content-digest'] ?? '') !== $digest) return false;
    if ($at === false || abs(time() - $at) > 300) return false;
    $given = explode(' ', $sent['authorization'] ?? '');
    if (count($given) !== 2 || $given[0] !== 'RSA-SHA256') return false;
    $signature = base64_decode($given[1]);
    $text = 'POST|' . $url . '|X-SERVICE-CONTENT-DIGEST=' . $digest
        . '&X-SERVICE-TIMESTAMP=' . $timestamp;
    foreach ($keys as $key) {
        if (openssl_verify($text, $signature, $key['rsa_pem'], OPENSSL_ALGO_SHA256) === 1)
            return true;
    }
    return false;
}`

/** Receivers of callbacks in a few languages, in CommonMark. */
export const verifierText = ({ names }: About): string => {
  const branded = (code: string): string =>
    code
      .replaceAll('X-SERVICE-', names.signedPrefix)
      .replaceAll('x-service-', names.signedPrefix.toLowerCase())
  return `## Verifying callbacks

Each of these says whether a callback is genuine, from the \`callback_uri\` as it was registered, the
headers, the bytes of the body, and \`keys\` of \`/callback_keys.json\`, which you keep and read
again when none fits. Leave out a \`meta.id\` that you have seen, and take no message whose
\`meta.merchant_id\` is not yours.

Node:

${fenced(branded(node))}

Python, with the package \`cryptography\`:

${fenced(branded(python))}

PHP, with the extension \`openssl\`; \`getallheaders()\` gives the headers, and
\`file_get_contents('php://input')\` the body:

${fenced(branded(php))}`
}

import type { Links } from '../../../http/addresses.ts'
import type { Names } from '../../../http/brand.ts'

export type SnippetNeeds = { readonly names: Names; readonly links: Links }

const emptyDigest = 'SHA256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

type Who = { readonly merchant: string; readonly user: string }

const urlOf = ({ links }: SnippetNeeds): string => links.full('/merchant/v1/pos/')

/** A first request with a secret, to be run as it is. */
export const secretSnippet = (needs: SnippetNeeds, { merchant, user }: Who, secret: string) =>
  `curl ${urlOf(needs)} \\
  -H '${needs.names.merchant}: ${merchant}' \\
  -H '${needs.names.user}: ${user}' \\
  -H 'Authorization: SECRET ${secret}'
`

/** A first request that is signed with the key in a file, to be run as it is. */
export const keySnippet = (needs: SnippetNeeds, { merchant, user }: Who): string => {
  const { names } = needs
  const upper = (name: string): string => name.toUpperCase()
  return `url=${urlOf(needs)}
time="$(date -u '+%Y-%m-%d %H:%M:%S')"
digest=${emptyDigest}
key="$(ls -t ${keyFiles({ merchant, user })} | head -n 1)"
text="GET|$url|${upper(names.contentDigest)}=$digest"
text="$text&${upper(names.merchant)}=${merchant}"
text="$text&${upper(names.timestamp)}=$time&${upper(names.user)}=${user}"
signature="$(printf '%s' "$text" |
  openssl dgst -sha256 -sign "$key" | openssl base64 -A)"
curl "$url" \\
  -H '${names.merchant}: ${merchant}' \\
  -H '${names.user}: ${user}' \\
  -H "${names.timestamp}: $time" \\
  -H "${names.contentDigest}: $digest" \\
  -H "Authorization: RSA-SHA256 $signature"
`
}

/** What a private key is saved as; the browser fills in the user and the time. */
export const keyFile = (merchant: string): string => `${merchant}-{user}-{time}.pem`

/** The files of a user's keys, for a shell. */
const keyFiles = ({ merchant, user }: Who): string => `'${merchant}-${user}-20'*.pem`

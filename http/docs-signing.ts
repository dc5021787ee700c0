import type { Names } from './brand.ts'
import { stringToSign } from './signature.ts'

type Example = {
  readonly method: string
  readonly url: string
  /** Besides timestamp and digest. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** That of the body. */
  readonly digest: string
}

/** Signs the examples; whoever reads them can sign with it, too. */
export type ExampleKey = { readonly pem: string; readonly sign: (text: string) => string }

/** A fenced block of CommonMark. */
export const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``

export const emptyDigest = 'SHA256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

/** An example as it goes over the wire, and the text that is signed. */
const worked = (
  names: Names,
  { method, url, headers, body, digest }: Example,
  { sign }: ExampleKey,
): string => {
  const all = {
    ...headers,
    [names.timestamp]: '2026-11-21 09:30:00',
    [names.contentDigest]: digest,
  }
  const { host, pathname } = new URL(url)
  const head = [`${method} ${pathname} HTTP/1.1`, `Host: ${host}`]
  for (const [name, value] of Object.entries(all)) head.push(`${name}: ${value}`)
  const signed = stringToSign(method, url, Object.entries(all), names.signedPrefix)
  const sent = [...head, `Authorization: RSA-SHA256 ${sign(signed)}`, '', body].join('\n')
  return `${fenced(sent)}\n\nis signed over this one line:\n\n${fenced(signed)}`
}

/** Of level KEY: the superuser of the sandbox makes a user. */
export const signedRequest = (names: Names, base: string, key: ExampleKey): string =>
  worked(
    names,
    {
      method: 'POST',
      url: `${base}/merchant/v1/user/`,
      headers: {
        [names.merchant]: 'sandbox',
        [names.user]: 'admin',
        'Content-Type': 'application/json',
      },
      body: '{"id":"till-2","secret":"a long secret"}',
      digest: 'SHA256=JPjPqntFwQ+SZmu/h9IYnSFJCZ5FehktM8xJLB15VE0=',
    },
    key,
  )

const message =
  '{"meta":{"id":"0b7a5c3e-8f64-5d0e-9a55-6f2f2f4f0c11","event":"test_event","uri":null,' +
  '"timestamp":"2026-11-21 09:30:00","seqno":1},"object":{"text":"Hello World"}}'

export const signedCallback = (names: Names, key: ExampleKey): string =>
  worked(
    names,
    {
      method: 'POST',
      url: 'https://shop.example/callbacks',
      headers: { 'Content-Type': names.json },
      body: message,
      digest: 'SHA256=8oZ4HtXkJjlHfHb7jXxJ+1DNiMpRVbJ0rx+6LpNC0VU=',
    },
    key,
  )

// Long because it checks every claim of the pages.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash, createPublicKey, createSign, verify } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callbackEventNames } from '../../domain/callback-names.ts'
import { levels } from '../../http/openapi-security.ts'
import { examplesIn, pagesOf, seen } from './docs-pages.ts'
import { openApiDocument, operationsOf, type OpenApiDocument } from './openapi-document.ts'
import { requestPayment, sign, startService, type Service } from '../support/http-service.ts'
import { stringToSign } from '../../harness/signing.ts'

const root = join(import.meta.dirname, '..', '..')

let service: Service
let document: OpenApiDocument
let pages: ReadonlyMap<string, string>
let folder: string
beforeAll(async () => {
  service = await startService()
  document = openApiDocument.parse((await service.call('GET', '/openapi.json')).body)
  pages = await pagesOf(service)
  folder = mkdtempSync(join(tmpdir(), 'daybook-docs-'))
  copyFileSync(join(service.folder, 'sandbox-admin-key.pem'), join(folder, 'key.pem'))
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const page = (name: string): string => pages.get(name === 'start' ? '/docs' : `/docs/${name}`) ?? ''

/** A request as written on a page. */
const requestIn = (example: string) => {
  const [head = '', body = ''] = example.split('\n\n')
  const [line = '', ...lines] = head.split('\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(lines.map((one) => one.split(': ') as [string, string]))
  return { method, path, headers, body }
}

const digestOf = (body: string): string =>
  `SHA256=${createHash('sha256').update(body).digest('base64')}`

/** The signed request on a page, and the text to sign. */
const worked = (html: string) => {
  const examples = examplesIn(html)
  const at = examples.findIndex(({ language }) => language === 'http')
  return { request: requestIn(examples[at]?.code ?? ''), text: examples[at + 1]?.code ?? '' }
}

const pemIn = (html: string): string =>
  examplesIn(html).find(({ code }) => code.startsWith('-----BEGIN'))?.code ?? ''

/** How to run the examples of each language. */
const runs: Readonly<Record<string, { file: string; run: string[]; has: string[] }>> = {
  bash: { file: 'run.sh', run: ['bash'], has: ['curl', '--version'] },
  js: { file: 'run.mjs', run: ['node'], has: ['node', '-e', ''] },
  python: {
    file: 'run.py',
    run: ['python3'],
    has: ['python3', '-c', 'import cryptography'],
  },
  php: { file: 'run.php', run: ['php'], has: ['php', '-r', 'openssl_sign(...);'] },
}

/** Runs an example against the service in this process. */
const output = async (language: string, code: string): Promise<string | undefined> => {
  const { file, run, has } = runs[language]!
  const [probe = '', ...given] = has
  if (spawnSync(probe, given).status !== 0) return undefined
  writeFileSync(join(folder, file), code)
  const [command = '', ...words] = [...run, file]
  const child = spawn(command, words, { cwd: folder })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part))
  await new Promise((resolve) => child.on('close', resolve))
  return text
}

const firstIn = (html: string, language: string): string =>
  examplesIn(html).find((one) => one.language === language)?.code ?? ''

const tabs = Object.keys(runs)

describe('what the guides show', () => {
  test.each(tabs)(
    'given the first payment in %s, when it is run as it stands, then a payment is requested',
    async (language) => {
      const code = firstIn(page('start'), language)
      const text = await output(language, code)
      if (text !== undefined) expect(text).toMatch(/\bid["']?: ?["'][0-9a-f]{32}["']/)
    },
  )

  test.each(tabs)(
    'given the signed request in %s, when it is run as it stands, then a user is made',
    async (language) => {
      const own = firstIn(page('signing'), language).replaceAll('till-2', `till-${language}`)
      const text = await output(language, own)
      if (text !== undefined) expect(text).toContain(`{"id":"till-${language}"}`)
    },
  )

  test('given its worked request, when it is signed at another time, then the service knows the signature', async () => {
    const { method, path, headers, body } = worked(page('signing')).request
    const sent = sign({
      ...{ method, url: service.address + path, body, key: service.adminKey },
      merchant: headers['X-Service-Merchant'] ?? null,
      user: headers['X-Service-User'] ?? null,
    })
    expect((await service.call(method, path, { headers: sent, body })).status).toBe(201)
  })

  test.each(['signing', 'callbacks'])(
    'given the example of %s, then its digest is that of its body, and the string to sign that of its headers',
    (name) => {
      const { request, text } = worked(page(name))
      const { method, path, headers, body } = request
      expect(headers['X-Service-Content-Digest']).toBe(digestOf(body))
      const origin = name === 'signing' ? service.address : `https://${headers['Host']}`
      expect(text).toBe(stringToSign(method, origin + path, headers))
    },
  )

  test.each(['signing', 'callbacks'])(
    'given the example of %s, then its signature is that of the key that the guide shows',
    (name) => {
      const { request, text } = worked(page(name))
      const [, signature = ''] = request.headers['Authorization']?.split(' ') ?? []
      expect(
        createSign('RSA-SHA256')
          .update(text)
          .sign(pemIn(page('signing')), 'base64'),
      ).toBe(signature)
    },
  )

  test.each(['signing', 'callbacks'])('given the file of %s, then it is signed alike', (name) => {
    const file = readFileSync(join(root, 'docs', 'guide', `${name}.md`), 'utf8')
    const signing = readFileSync(join(root, 'docs', 'guide', 'signing.md'), 'utf8')
    const [, signature, text] =
      /^Authorization: RSA-SHA256 (.+)$[^]*?^```text\n(POST\|.+)$/m.exec(file) ?? []
    const [pem = ''] = /-----BEGIN[^]*?END PRIVATE KEY-----/.exec(signing) ?? []
    expect(createSign('RSA-SHA256').update(text!).sign(pem, 'base64')).toBe(signature)
  })

  test('given no body, then the digest is the one that it names', () => {
    expect(seen(page('signing'))).toContain(`The digest of no\nbody is ${digestOf('')}`)
  })

  test('given its command, when a shell runs it, then what comes is a signature of the string', () => {
    const { text } = worked(page('signing'))
    const commands = examplesIn(page('signing')).filter(({ language }) => language === 'bash')
    const signature = execFileSync('sh', ['-c', commands.at(-1)?.code ?? ''], {
      cwd: folder,
      env: { ...process.env, text },
      encoding: 'utf8',
    })
    const key = createPublicKey(service.adminKey)
    expect(verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'))).toBe(true)
  })

  test('given its example of an error, when such a mistake is made, then that is the answer', async () => {
    const input = {
      ...{ pos_id: 'till-1', pos_tid: 'order-9', action: 'auth', currency: 'NOK', amount: '1.00' },
      allow_credit: false,
      line_items: [{ product_id: '1', quantity: 1, item_cost: '1.00' }],
      customer: '+4799999901',
    }
    const { body } = await service.pos1('POST', '/merchant/v1/payment_request/', input)
    expect(body).toEqual(JSON.parse(examplesIn(page('errors'))[0]?.code ?? ''))
  })
})

test('each request of the sandbox guide works as it is written', async () => {
  const { pos1, admin, call } = service
  const requestPath = '/merchant/v1/permission_request/'
  const permission = { pos_id: 'till-1', customer: '+4799999901', scope: 'openid' }
  let serial = 0
  const idFor: Record<string, () => Promise<string | undefined>> = {
    tid: async () => (await requestPayment(pos1)).split('/').at(-2),
    rid: async () => {
      const pos_tid = `guide-${(serial += 1)}`
      return (await pos1('POST', requestPath, { ...permission, pos_tid })).body.id
    },
    id: async () => (await admin('POST', '/merchant/v1/shortlink/', {})).body.id,
  }
  const answers = new Map<string, number>()
  const rows = page('sandbox').matchAll(/<tr><td>(?!<)[^]*?<\/tr>/g)
  for (const [row] of rows) {
    const codes = [...row.matchAll(/<code>([^]*?)<\/code>/g)].map(([, code = '']) => seen(code))
    const [method = '', first = ''] = codes.shift()?.split(' ') ?? []
    const bodies = codes.filter((code) => code.startsWith('{'))
    const ways = codes.flatMap((code) =>
      code.startsWith('…') ? first.replace(/[^/]+\/$/, code.slice(2)) : [],
    )
    for (const path of [first, ...ways]) {
      const [, name = ''] = /<(\w+)>/.exec(path) ?? []
      const sent = path.replace(`<${name}>`, (await idFor[name]?.()) ?? '')
      const body = bodies[0]?.replace('"…"', '"https://127.0.0.1:1/"')
      const { status } = await call(method, sent, body === undefined ? {} : { body })
      answers.set(path, status)
    }
  }
  expect(answers.size).toBe(10)
  expect([...answers].filter(([, status]) => status >= 300)).toEqual([])
})

describe('what the guides tell', () => {
  test('is each event of a callback, and no other', () => {
    const rows = [...page('callbacks').matchAll(/<tr><td><code>(\w+)<\/code><\/td>/g)]
    expect(rows.map(([, name]) => name)).toEqual(Object.keys(document.webhooks))
    const told = new Set(rows.map(([, name]) => name))
    for (const name of Object.values(callbackEventNames)) expect(told).toContain(name)
  })

  test('is every header that carries credentials', () => {
    for (const scheme of Object.values(document.components.securitySchemes))
      if (scheme.type === 'apiKey')
        expect(page('authentication')).toContain(`<li><code>${scheme.name}</code>:`)
    expect(page('authentication').match(/<li><code>Authorization<\/code>/g)).toHaveLength(1)
  })

  test('is each level of an operation', () => {
    const rows = [...page('authentication').matchAll(/<tr><td><code>([A-Z]+)<\/code>/g)]
    expect(rows.map(([, level]) => level)).toEqual(Object.keys(levels))
  })

  test('matches each column of the logs', () => {
    const [ofTransactions = '', ofScopes = ''] = page('logs').split('Scope log</h2>')
    const columnsOf = {
      [ofTransactions]:
        'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,fee,interchange,vat,' +
        'taxcode,net,merchant_id,settlement_id,reserved1,reserved2,pos_id,pos_tid,text',
      [ofScopes]:
        'rid,timestamp,status,customer,currency,fee,vat,taxcode,merchant_id,settlement_id,reserved1,reserved3,' +
        'pos_id,pos_tid,text',
    }
    for (const [text, columns] of Object.entries(columnsOf))
      for (const column of columns.split(',')) expect(text).toContain(`<code>${column}</code>`)
  })
})

describe('the pages', () => {
  test('lead to one another, to headings that are there, and to nothing elsewhere', () => {
    for (const [path, html] of pages) {
      const links = [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, link]) => link!)
      for (const link of links) {
        const [target = '', anchor] = link.split('#')
        const shown = target === '' ? html : pages.get(target)
        const isFile = /^\/(?:openapi\.json|favicon\.ico|docs-assets\/.+)$/.test(target)
        expect([path, link, isFile || shown !== undefined]).toEqual([path, link, true])
        if (anchor !== undefined)
          expect([path, link, shown]).toEqual([
            path,
            link,
            expect.stringContaining(`id="${anchor}"`),
          ])
      }
    }
  })

  test('are in English, and the guide for merchants in Norwegian too', () => {
    const other = [...pages].filter(([, html]) => html.includes('<main id="content" lang='))
    expect(other.map(([path]) => path)).toEqual(['/docs/portalen'])
    expect(page('portalen')).toContain('<main id="content" lang="nb"><h1 id="portalen">Portalen')
    expect(page('portal')).toContain('<a href="/docs/portalen">På norsk</a>')
  })

  test('have each id once, and no script or style within', () => {
    for (const [path, html] of pages) {
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      expect([path, new Set(ids).size]).toEqual([path, ids.length])
      expect(html).not.toMatch(/<style|<script(?! src=)| style=| on\w+=/)
    }
  })

  test('are all in the side bar of each, with the one that is read marked', () => {
    for (const [path, html] of pages) {
      const [, side = ''] = /<nav class="side"[^]*?>([^]*?)<\/nav>/.exec(html) ?? []
      const linked = [...side.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link)
      expect(new Set(linked)).toEqual(new Set(pages.keys()))
      expect(side).toContain(`<a href="${path}" aria-current="page">`)
    }
  })

  test('have a policy that allows what comes from this service and nothing else', async () => {
    const { headers } = await service.call('GET', '/docs')
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
  })

  test('begin with less than 150 KB, the style and the script included', async () => {
    const parts = ['/docs', '/docs-assets/docs.css', '/docs-assets/docs.js']
    const sizes = await Promise.all(
      parts.map(async (path) => (await service.call('GET', path)).text.length),
    )
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(150_000)
  })

  test('given a name that no page has, then there is nothing', async () => {
    for (const path of ['/docs/none', '/docs-assets/none.css', '/docs-assets/__proto__'])
      expect([path, (await service.call('GET', path)).status]).toEqual([path, 404])
  })

  test('given a browser that takes gzip, then files come compressed, and as they are for others', async () => {
    const path = '/docs-assets/docs.css'
    const zipped = await fetch(service.address + path, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    const plain = await service.call('GET', path, { headers: { 'Accept-Encoding': 'gzip;q=0' } })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(await zipped.text()).toBe(plain.text)
    expect(plain.text).toBe(readFileSync(join(root, 'web', 'docs', 'docs.css'), 'utf8'))
  })
})

describe('the search', () => {
  const hitsOf = async (query: string) => {
    const { text } = await service.call('GET', `/docs?q=${encodeURIComponent(query)}`)
    return [...text.matchAll(/<li>\s*<a href="([^"]*)">/g)].flatMap(([, link]) =>
      link?.startsWith('/docs') && text.indexOf(`class="hits"`) < text.lastIndexOf(link)
        ? link
        : [],
    )
  }

  test.each([
    ['string to sign', '/docs/signing#three-steps'],
    ['payment_captured', '/docs/callbacks#events'],
    ['interchange', '/docs/logs#transaction-log'],
    ['Retry-After', '/docs/errors'],
  ])('given %s, then it finds %s', async (query, link) => {
    expect(await hitsOf(query)).toContain(link)
  })

  test('given what an operation does, then it finds the operation in the reference', async () => {
    const [name, { operationId, summary, tags }] = [...operationsOf(document)].find(([one]) =>
      one.startsWith('POST /merchant/v1/payment_request/'),
    )! as [string, { operationId: string; summary: string; tags: string[] }]
    expect(name).toContain('payment_request')
    expect(await hitsOf(summary)).toContain(
      `/docs/reference#/${encodeURIComponent(tags[0]!)}/${operationId}`,
    )
  })

  test('given what pages do too, then it finds what programs use', async () => {
    const hits = await hitsOf('refund')
    expect(hits).toContain('/docs/payments#change-a-payment')
    expect(hits.filter((link) => /#\/(Pages|Portal|Operator)\//.test(link))).toEqual([])
    const ofPages = [...operationsOf(document)].filter(([, { tags }]) =>
      ['Pages', 'Portal', 'Operator', 'Audit'].includes((tags as string[])[0] ?? ''),
    )
    expect(ofPages.length).toBeGreaterThan(50)
    for (const [name, { description }] of ofPages)
      expect([name, String(description)]).toEqual([name, expect.not.stringContaining('Needs no')])
  })

  test.each(['largest', 'capture_id'])(
    'given %s, then no mark of Markdown is told',
    async (query) => {
      const { text } = await service.call('GET', `/docs?q=${query}`)
      const told = [...text.matchAll(/<p>([^<]*)<\/p>/g)].map(([, excerpt]) => excerpt)
      expect(told.length).toBeGreaterThan(1)
      expect(told.filter((excerpt) => /`|(?<!\w)_|_(?!\w)/.test(excerpt ?? ''))).toEqual([])
    },
  )

  test('given markup, then it is text', async () => {
    const { text } = await service.call('GET', `/docs?q=${encodeURIComponent('"><b>x')}`)
    expect(text).not.toContain('<b>x')
    expect(text).toContain('0 found')
  })
})

describe('given another brand and address, in production', () => {
  let branded: Service
  beforeAll(async () => {
    branded = await startService({
      HEADER_PREFIX: 'X-Acme',
      MEDIA_VENDOR: 'acme',
      PUBLIC_URL: 'https://Acme.Example',
      MODE: 'production',
    })
  })
  afterAll(() => branded.stop())

  test('then no page and no description knows another, or a sandbox', async () => {
    const all = await pagesOf(branded)
    expect(all.size).toBe(pages.size - 1)
    all.set('/openapi.json', (await branded.call('GET', '/openapi.json')).text)
    for (const [path, text] of all)
      if (path !== '/docs/interface')
        expect([path, text]).toEqual([
          path,
          expect.not.stringMatching(/x-service|vnd\.service|pay\.example|\/sandbox\//i),
        ])
    const { text } = await branded.call('GET', '/docs/signing')
    expect(text).toContain('POST|https://acme.example/merchant/v1/user/|X-ACME-CONTENT-DIGEST=')
  })

  test('then its examples are signed with its own names', async () => {
    const { text } = await branded.call('GET', '/docs/signing')
    const { request, text: signed } = worked(text)
    const [, signature = ''] = request.headers['Authorization']?.split(' ') ?? []
    expect(createSign('RSA-SHA256').update(signed).sign(pemIn(text), 'base64')).toBe(signature)
  })
})

test('OpenID discovery points clients to the userinfo endpoint for claims', async () => {
  const { body } = await service.call('GET', '/.well-known/openid-configuration')
  const { userinfo_endpoint } = body as { readonly userinfo_endpoint: string }
  const told = seen(page('openid'))
  expect(told).toContain('Claims come from userinfo')
  expect(told).toContain(`GET ${new URL(userinfo_endpoint).pathname}`)
})

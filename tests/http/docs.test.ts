import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, createSign, verify } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callbackEventNames } from '../../domain/callback.ts'
import { openApiDocument, type OpenApiDocument } from './openapi-document.ts'
import { sign, startService, type Service } from '../../harness/http-service.ts'
import { stringToSign } from '../../harness/signing.ts'

let service: Service
let document: OpenApiDocument
let page: string
beforeAll(async () => {
  service = await startService()
  document = openApiDocument.parse((await service.call('GET', '/openapi.json')).body)
  page = (await service.call('GET', '/docs')).text
})
afterAll(() => service.stop())

const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/** What a reader of HTML sees. */
const seen = (html: string): string =>
  Object.entries(entities).reduce(
    (text, [entity, character]) => text.replaceAll(entity, character),
    html.replaceAll(/<[^>]*>/g, ''),
  )

/** The examples that the page shows under a title. */
const examplesUnder = (title: string): string[] => {
  const [, section = ''] = new RegExp(`<h2 id="[^"]*">${title}</h2>(.*?)<h2`, 's').exec(page) ?? []
  return [...section.matchAll(/<pre>(.*?)<\/pre>/gs)].map(([, example = '']) => seen(example))
}

/** A request as it is written on the page. */
const requestIn = (example: string) => {
  const [head = '', body = ''] = example.split('\n\n')
  const [line = '', ...lines] = head.split('\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(lines.map((one) => one.split(': ') as [string, string]))
  return { method, path, headers, body }
}

const digestOf = (body: string): string =>
  `SHA256=${createHash('sha256').update(body).digest('base64')}`

describe('what the page shows', () => {
  test('given its first request, when it is sent as it stands, then a payment is requested', async () => {
    const [example = ''] = examplesUnder('A first payment')
    const { method, path, headers, body } = requestIn(example)
    const { Host: _, ...sent } = headers
    const answer = await service.call(method, path, { headers: sent, body })
    expect(answer).toMatchObject({ status: 201, body: { id: expect.any(String), uri: null } })
  })

  test('given its signed request, when it is signed at another time, then the service knows the signature', async () => {
    const { method, path, headers, body } = requestIn(examplesUnder('Signing')[0] ?? '')
    const sent = sign({
      ...{ method, url: service.address + path, body, key: service.adminKey },
      merchant: headers['X-Service-Merchant'] ?? null,
      user: headers['X-Service-User'] ?? null,
    })
    expect((await service.call(method, path, { headers: sent, body })).status).toBe(201)
  })

  test.each(['Signing', 'Callbacks'])(
    'given the example under %s, then its digest is that of its body, and the string to sign that of its headers',
    (title) => {
      const [example = '', text] = examplesUnder(title)
      const { method, path, headers, body } = requestIn(example)
      expect(headers['X-Service-Content-Digest']).toBe(digestOf(body))
      expect(text).toBe(stringToSign(method, `https://${headers['Host']}${path}`, headers))
    },
  )

  test('given no body, then the digest is the one that it names', () => {
    expect(document.info.description).toContain(`The digest of no body is \`${digestOf('')}\``)
  })

  test('given its command, when a shell runs it, then what comes is a signature of the string', () => {
    const [, text = '', , command = ''] = examplesUnder('Signing')
    const keyFile = join(service.folder, 'sandbox-admin-key.pem')
    const signature = execFileSync('sh', ['-c', command.replace('key.pem', keyFile)], {
      env: { ...process.env, text },
      encoding: 'utf8',
    })
    const key = createPublicKey(service.adminKey)
    expect(verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'))).toBe(true)
  })

  test('given its example of an error, when such a mistake is made, then that is the answer', async () => {
    const line = { product_id: '1', quantity: 1, item_cost: '1.00' }
    const [example = ''] = examplesUnder('A first payment')
    const input = { ...JSON.parse(requestIn(example).body), line_items: [line] }
    const { body } = await service.pos1('POST', '/merchant/v1/payment_request/', input)
    expect(body).toEqual(JSON.parse(examplesUnder('Errors')[0] ?? ''))
  })

  test('promises no more messages than the events that it lists: a refund has none', () => {
    const listed = [...page.matchAll(/<code>((?:payment|permission)_\w+ed(?:_by_\w+)?)<\/code>/g)]
    const told = new Set(Object.values(callbackEventNames))
    expect(new Set(listed.map(([, name]) => name))).toEqual(
      new Set([...told].filter((name) => name !== 'report_closed')),
    )
    expect(seen(page)).not.toMatch(/each step/)
  })

  test('is the introduction of the document, every header that carries credentials among it', () => {
    const words = (text: string) => text.replaceAll(/[`\s]+|^(#+|-|\d\.) /gm, '')
    const [, main = ''] = /<main>(.*?)<h2 id="group-/s.exec(page) ?? []
    expect(words(seen(main))).toBe(words(document.info.description))
    for (const { description } of Object.values(document.components.securitySchemes))
      expect(document.info.description).toContain(description)
  })

  test('is CommonMark in which nothing but code could be taken for HTML', () => {
    const { description } = document.info
    expect(description.replaceAll(/`[^`]*`/g, '')).not.toMatch(/[<&*_]/)
  })

  test('has each event that can be told, with the shape of its message', () => {
    for (const [event, { post }] of Object.entries(document.webhooks)) {
      const [media] = Object.values(post.requestBody.content)
      const name = String(media?.schema.$ref).split('/').at(-1)
      expect(page).toMatch(
        new RegExp(`<p><code>${event}</code>(?:(?!</p>)[^])*<a href="#schema-${name}">${name}</a>`),
      )
    }
  })

  test('begins with contents that lead to each section and each group, in the order of the document', () => {
    const [, nav = ''] = /<nav[^>]*>(.*?)<\/nav>/s.exec(page) ?? []
    const linked = [...nav.matchAll(/<a href="#[^"]*">(.*?)<\/a>/g)].map(([, name]) => name)
    const sections = [...document.info.description.matchAll(/^## (.*)$/gm)].map(
      ([, title]) => title,
    )
    const groups = document.tags.map(({ name }) => name)
    expect(linked).toEqual([...sections, ...groups, 'Schemas'])
    const shown = [...page.matchAll(/<h2 id="[^"]*">(.*?)<\/h2>/g)].map(([, title]) => title)
    expect(shown).toEqual(linked)
  })

  test('tells what stands in each column of the logs', () => {
    const [, logs = ''] = /^## Logs$([^]*?)^## /m.exec(document.info.description) ?? []
    const [ofTransactions = '', ofScopes = ''] = logs.split('A scope log')
    const columnsOf = {
      [ofTransactions]:
        'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,fee,interchange,vat,' +
        'taxcode,net,merchant_id,settlement_id,reserved1,reserved2,pos_id,pos_tid,text',
      [ofScopes]:
        'rid,timestamp,status,customer,currency,fee,vat,taxcode,merchant_id,settlement_id,reserved1,reserved3,' +
        'pos_id,pos_tid,text',
    }
    for (const [text, columns] of Object.entries(columnsOf))
      for (const column of columns.split(',')) expect(text).toContain(`\`${column}\``)
  })

  test('names the level of each operation as the introduction explains it', () => {
    const levels = new Set(
      [...page.matchAll(/<span class="quiet">([A-Z]+)<\/span>/g)].map(([, level]) => level ?? ''),
    )
    expect(levels.size).toBe(7)
    for (const level of levels) expect(document.info.description).toContain(`- \`${level}\`:`)
    expect(page).toMatch(/\/payer\/v1\/profile\/<\/code>[^<]*<span class="quiet">TWOFACTOR/)
    expect(page).toMatch(/\/oauth2\/v1\/userinfo<\/code>[^<]*<span class="quiet">TOKEN/)
  })
})

describe('a signature that the page shows', () => {
  test.each(['Signing', 'Callbacks'])(
    'under %s is that of its string by the key that stands there',
    (title) => {
      const [example = '', text = ''] = examplesUnder(title)
      const pem = examplesUnder('Signing').find((one) => one.startsWith('-----BEGIN')) ?? ''
      const [, signature = ''] = requestIn(example).headers['Authorization']?.split(' ') ?? []
      expect(createSign('RSA-SHA256').update(text).sign(pem, 'base64')).toBe(signature)
    },
  )
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

  test.each(['/docs', '/openapi.json'])('then %s knows no other, and no sandbox', async (path) => {
    const { text } = await branded.call('GET', path)
    expect(text).not.toMatch(/x-service|vnd\.service|pay\.example|\/sandbox\//i)
    expect(text).toContain('POST|https://acme.example/merchant/v1/user/|X-ACME-CONTENT-DIGEST=')
  })
})

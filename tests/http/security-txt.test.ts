import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../support/http-service.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const path = '/.well-known/security.txt'

const started = async (settings: Readonly<Record<string, string>>) => {
  const service = await startService(settings)
  onTestFinished(() => service.stop())
  return service
}

test('security.txt names the contact, in half a year at most, as RFC 9116 has it', async () => {
  const SECURITY_CONTACT = 'mailto:security@pay.example'
  const service = await started({ SECURITY_CONTACT, PUBLIC_URL: 'https://pay.example' })
  const { status, headers, text } = await service.call('GET', path)
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  const fields = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/: (.*)/s) as [string, string]),
  )
  expect([...fields.keys()]).toEqual(['Contact', 'Expires', 'Preferred-Languages', 'Canonical'])
  expect(fields.get('Contact')).toBe(SECURITY_CONTACT)
  expect(fields.get('Canonical')).toBe(`https://pay.example${path}`)
  const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(178)
  expect(days).toBeLessThanOrEqual(180)
})

test('without a contact there is no security.txt', async () => {
  const service = await started({})
  expect(await service.call('GET', path)).toMatchObject({ status: 404 })
})

test.each(['security@pay.example', 'http://pay.example/report', 'mailto:nobody'])(
  'a contact is an address with its scheme, and %s is none',
  (SECURITY_CONTACT) => {
    expect(() => readSettings({ SECURITY_CONTACT })).toThrow('SECURITY_CONTACT')
  },
)

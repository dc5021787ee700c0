import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPeopleService, type PeopleService } from './people-service.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
})
afterAll(() => service.stop())

const personal = [
  'Kari Traa Nordmann',
  '4741234567',
  'kari.nordmann@',
  'Elgveien 77',
  '01017000027',
]

const filesWith = (words: readonly string[]) =>
  service
    .files()
    .filter(({ bytes }) => words.some((word) => bytes.includes(word)))
    .map(({ name }) => name)

test('given a payer with payments, when the payer is erased, then no personal data is left and all figures stand', async () => {
  await service.operator(
    ...['payer', 'add', '+4741234567', '--name', 'Kari Traa Nordmann', '--pin', '4711'],
    ...['--email', 'kari.nordmann@example.com', '--street', 'Elgveien 77', '--postal-code', '0150'],
    ...['--locality', 'Oslo', '--national-id', '01017000027'],
  )
  const { id: tid } = await service.requestPayment({ customer: '+4741234567' })
  const { status } = await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  expect(status).toBe(204)
  await service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
  const before = await service.outcome(tid)
  expect(before).toMatchObject({ customer: '+4741234567', status: 'ok' })
  const request = `/merchant/v1/payment_request/${tid}/`
  expect((await service.call('GET', request)).body.customer).toBe('+4741234567')
  // Nothing of it ever stood anywhere in the clear.
  expect(filesWith(personal)).toEqual([])

  await service.operator('payer', 'erase', '4741234567')

  expect(await service.outcome(tid)).toEqual({ ...before, customer: null })
  expect((await service.call('GET', request)).body.customer).toBeNull()
  expect(filesWith(personal)).toEqual([])
  expect(service.log()).not.toMatch(/Nordmann|41234567/)
  await service.restart()
  expect(await service.outcome(tid)).toEqual({ ...before, customer: null })
})

test('given a number that is no payer, when a merchant names it, then the request fails with 4004 and the number can be erased', async () => {
  const { id: tid } = await service.requestPayment({ customer: 'msisdn:4747474747' })
  expect(await service.outcome(tid)).toMatchObject({
    customer: 'msisdn:4747474747',
    status: 'fail',
    status_code: 4004,
  })
  expect(filesWith(['4747474747'])).toEqual([])
  await service.operator('payer', 'erase', '4747474747')
  expect(await service.outcome(tid)).toMatchObject({ customer: null, status_code: 4004 })
})

test('given a request, when it is repeated, then it is the same although the customer is stored sealed', async () => {
  const request = { customer: '4799999901', pos_tid: 'repeated' }
  const first = await service.requestPayment(request)
  expect(await service.requestPayment(request)).toEqual(first)
  await expect(service.requestPayment({ ...request, customer: '4799999902' })).rejects.toThrow(
    'Conflict',
  )
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { importStatement, orderPayout } from './walk/bank.ts'
import { makeUser, registerApplication, seeCallback } from './walk/developers.ts'
import { closeReport, moveClock, readWorkbook, seeSettlement } from './walk/money.ts'
import { makeSteps, openPlace, type Place } from './walk/place.ts'
import { makePointOfSale, printCodes } from './walk/points.ts'
import { accept, captureHalf, refundPart, seePaymentArrive, tillWith } from './walk/sale.ts'
import { makeAccount, signInAgain, signUpShop } from './walk/sign-up.ts'

let place: Place
beforeAll(async () => {
  place = await openPlace()
})
afterAll(() => place.close())

const till1 = 'till-1'

test('a merchant signs up, sells by a key of its browser, and is paid', async () => {
  const { step, taken } = makeSteps()
  const owner = await step('makes an account', () => makeAccount(place))
  const { page } = owner
  const merchant = await step('signs up the business', () => signUpShop(owner))
  const pem = await step('makes an API user with a key', () => makeUser(owner, till1))
  await step('registers an application', () => registerApplication(owner))
  await step('makes a point of sale', () => makePointOfSale(page, till1))
  await step('prints a poster and a label', () => printCodes(page))
  const till = tillWith(place, merchant, till1, pem)
  await step('sees a payment arrive', () => seePaymentArrive(place, page, till, till1))
  await step('sees it accepted', () => accept(place, page))
  await step('captures half', () => captureHalf(page))
  await step('refunds a part', () => refundPart(page))
  await step('sees the callback', () => seeCallback(place, page, merchant, 'payment_refunded'))
  await step('closes the report', () => closeReport(page))
  await step('opens the workbook', () => readWorkbook(page))
  await step('moves the clock', () => moveClock(page))
  await step('signs in again', () => signInAgain(owner))
  await step('sees the settlement', () => seeSettlement(page))
  const file = await step('sees the payout ordered', () => orderPayout(place, page))
  await step('sees it paid', () => importStatement(place, page, file))
  console.log(taken.join('\n'))
  expect(place.faults).toEqual([])
})

import { expect, test } from 'vitest'
import { isInSentences, asSentence } from '../../audit/explain/event-words.ts'
import { ruleHtml } from '../../web/auditor/page.tsx'
import { saysHtml } from '../../web/auditor/explain.tsx'

test.each([
  ['the payer is there', 'The payer is there'],
  ['betaler 7 godtar', 'Betaler 7 godtar'],
  ['pos-sandbox-till', 'pos-sandbox-till'],
  ['payment-3b7e', 'payment-3b7e'],
  ['payment_captured: sent to nobody so far', 'payment_captured: sent to nobody so far'],
  ['portal to https://shop.example: delivered', 'portal to https://shop.example: delivered'],
])('the sentence %s begins with a capital unless an identifier does', (says, shown) => {
  expect(asSentence(says)).toBe(shown)
})

test('given an event without a sentence, then its phrase is marked as English', () => {
  expect(['PaymentCaptured', 'SettlementMade', 'PosRegistered'].map(isInSentences)).toEqual([
    ...[true, true, false],
  ])
  expect(String(saysHtml({ type: 'PosRegistered', says: 'pos registered: till' }))).toBe(
    '<span lang="en">Pos registered: till</span>',
  )
})

test('given a rule, then it is told in Norwegian or Swedish, or marked as English', () => {
  expect(ruleHtml('fees_are_malformed', 'nb')).toBe('En sats er fra 0 til 1, en fast del minst 0.')
  expect(ruleHtml('resource_is_unknown', 'nb')).toBe('Det finnes ingen slik ressurs.')
  expect(ruleHtml('resource_is_unknown', 'sv')).toBe('Det finns ingen sådan resurs.')
  expect(String(ruleHtml('resource_is_unknown', 'en'))).toBe(
    '<span lang="en">There is no such resource.</span>',
  )
})

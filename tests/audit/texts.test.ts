import { expect, test } from 'vitest'
import { asSentence, eventInWords, isInSentences } from '../../audit/explain/event-words.ts'
import { parseEvent } from '../../domain/events.ts'
import { storyTexts } from '../../web/ui/story-texts.ts'
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

test('given an undelivered callback, then pages say why in their language', () => {
  const data = {
    ...{ subject: 'payment-1', revision: 1, event: 'payment_captured', seqno: 1, uri: 'https://x' },
    ...{ attemptedAt: 0, result: 'failed', httpStatus: null, durationMs: 4, nextAttemptAt: 0 },
    problem: 'nobody listens at this address: is the receiver running?',
  }
  const by = { actor: 'daybook', correlationId: 'c', causationId: null, schema: 1 }
  const metadata = { at: 0, merchant: 'sandbox', ...by }
  const place = { stream: 'callback-1', revision: 0, position: 1, id: 'e' }
  const event = parseEvent({ ...place, type: 'CallbackAttempted', data, metadata })
  const told = (locale?: string) =>
    eventInWords(event, '', storyTexts({ language: locale ? 'nb' : 'en', locale }, 'Europe/Oslo'))
  expect(told('nb-NO')).toBe(
    'payment_captured til https://x: mislyktes, ingen lytter på denne adressen: ' +
      'kjører mottakeren? etter 4 ms, sendes på nytt 1. jan. 1970, 01:00:00',
  )
  expect(told()).toContain('nobody listens at this address')
})

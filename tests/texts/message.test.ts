import { html } from 'hono/html'
import { expect, test } from 'vitest'
import { filledText, messageOf, plainText } from '../../texts/message.ts'
import { filled } from '../../web/ui/words.tsx'

const events = '{count, plural, one {# event} other {# events}} of {who}'

test.each([
  [1, '1 event of shop'],
  [0, '0 events of shop'],
  [1_200, '1,200 events of shop'],
])('a plural is that of its number: %i', (count, text) => {
  expect(messageOf(events, 'en')({ count, who: 'shop' })).toBe(text)
})

test('numbers are written as their language does', () => {
  const sv = messageOf('{count, plural, one {# rad} other {# rader}}', 'sv')
  expect(sv({ count: 1_200 })).toBe('1\u00A0200 rader')
})

test('a value is a string or a number, and is not read as a message', () => {
  expect(messageOf('Write <b> to {name}', 'en')({ name: '{count}' })).toBe('Write <b> to {count}')
})

test('a text without values is the same with some', () => {
  expect(filledText('by hand', { time: '06:00' })).toBe('by hand')
  expect(filledText(messageOf('at {time}', 'en'), { time: '06:00' })).toBe('at 06:00')
})

test('in a page, all is escaped but values that are HTML', async () => {
  const message = messageOf('<{name}> & {link}', 'en')
  const page = filled(message, { name: '<b>', link: html`<a href="/">x</a>` })
  expect(String(await html`${page}`)).toBe('&lt;&lt;b&gt;&gt; &amp; <a href="/">x</a>')
  expect(String(await html`${filled('a & b', {})}`)).toBe('a &amp; b')
})

test('a name that comes from elsewhere finds texts without values alone', () => {
  const texts = { plain: 'plain', message: messageOf('{a}', 'en') }
  const names = ['plain', 'message', 'toString', 'none']
  expect(names.map((name) => plainText(texts, name))).toEqual([
    ...['plain', undefined, undefined, undefined],
  ])
})

import { expect, test } from 'vitest'
import { openPlace } from '../../harness/ledger-service.ts'
import { openMessages } from '../../service/people/messages.ts'

test('given a message whose words are looked for, when all settle, then it is there', async () => {
  const place = await openPlace()
  const messages = openMessages(place.core, undefined)
  let findWords = (_: string): void => {}
  const words = new Promise<string>((resolve) => (findWords = resolve))
  messages.afterAnswer(async () => messages.send?.('4748812345', await words))
  const settled = messages.settled()
  findWords('Your code is 123456')
  await settled
  expect(messages.sentTo('+4748812345')).toMatchObject([{ text: 'Your code is 123456' }])
  await place.stop()
  place.remove()
})

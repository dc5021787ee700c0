import type { Difference, FundingDay } from '../application/funding-book.ts'
import { formatAmount } from '../domain/money/money.ts'
import { isDay } from '../domain/time.ts'
import { fail } from '../infrastructure/failures.ts'
import { fundingOf } from '../service/bank/funding.ts'
import type { Core } from '../service/core.ts'
import { group, onData, preset, required, value } from './command.ts'

const dayOf = (text: string): string =>
  isDay(text) ? text : fail(`${text} is not a day, as YYYY-MM-DD`)

const countOf = (text: string): number =>
  /^[1-9]\d{0,2}$/.test(text) ? Number(text) : fail(`${text} is not a number of days up to 999`)

const textOf = (text: string): string => text.trim() || fail('a text has a non-blank character')

const watched = async (core: Core) => {
  await core.readModels.caughtUp()
  const funding = await fundingOf(core)
  return funding.watch ? funding : fail('BANK_PROFILE names no accounts of funding')
}

const printedDay = ({ day, currency, isDue, key: _, ...sums }: FundingDay) => ({
  day,
  currency,
  ...Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [name, formatAmount(sum, currency)]),
  ),
  due: isDue,
})

const printed = ({ key, day, currency, open, age, owner, notes, receipt }: Difference) => ({
  difference: key,
  day,
  open: formatAmount(open, currency),
  currency,
  age_days: age,
  owner,
  note: notes.at(-1)?.text ?? null,
  ...(receipt && { end_to_end_id: receipt.endToEndId, bank_reference: receipt.reference }),
})

const days = onData({
  name: 'days',
  about: 'list what was captured, expected, received, explained and is open, newest day first',
  options: {
    before: value('<day>', 'default: until today', dayOf),
    days: preset('<n>', 'how many', 31, countOf),
  },
  run: async (core, { before, days: count }) =>
    (await watched(core)).book.days(before, count).map(printedDay),
})

const list = onData({
  name: 'list',
  about: 'list money that is missing when it is due (above zero) or pays nothing (below zero)',
  run: async (core) => (await watched(core)).book.differences().map(printed),
})

const take = onData({
  name: 'take <difference>',
  about: 'be the one who looks into a difference',
  options: { note: value('<text>', 'what is known of it', textOf) },
  run: async (core, key, { note }) => {
    const { take: takeIt, book } = await watched(core)
    await takeIt(key, note ?? null, core.contextOf('operator'))
    await core.readModels.caughtUp()
    return book.find(key) && printed(book.find(key) as Difference)
  },
})

const close = onData({
  name: 'close <difference>',
  about: 'explain what is open of a difference',
  options: { reason: required('<text>', 'why it is right as it is', textOf) },
  run: async (core, key, { reason }) => {
    const { close: closeIt, book } = await watched(core)
    await closeIt(key, reason, core.contextOf('operator'))
    await core.readModels.caughtUp()
    return book.find(key) && printed(book.find(key) as Difference)
  },
})

const place = onData({
  name: 'place <receipt> <day>',
  about: 'say that money which names nothing pays a day of the funding source',
  run: async (core, id, text) => {
    const { place: placeIt } = await watched(core)
    const day = dayOf(text)
    await placeIt(id, day, core.contextOf('operator'))
    return { receipt: id, day }
  },
})

/** `daybook funding`: whether what was captured has come in. */
export const fundingCommands = group('funding', 'whether the money of payers comes in', [
  days,
  list,
  take,
  close,
  place,
])

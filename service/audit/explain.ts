import { explain, subjectOf, sumUp, type Subject } from '../../audit/explain/explain.ts'
import type { PaymentNow } from '../../audit/explain/needs.ts'
import type { Story } from '../../audit/explain/story.ts'
import { provables, type Provable } from '../../audit/transparency/provable.ts'
import { callbacks, corrections, payments, permissionRequests } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import { sealAddresses } from '../../infrastructure/people/sealing.ts'
import { auditRowsOf } from '../../audit/verify/compare-rows.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { storyTexts, type StoryReader } from '../../web/ui/story-texts.ts'
import { utc, type TimeZone } from '../../domain/time-zone.ts'
import { shopsOf } from '../portal/shops.ts'
import { idsNamedIn } from '../reports-and-settlements.ts'
import { receiptsOf } from '../transparency/receipts.ts'

const remembered =
  ({ find, revisionOf }: Pick<Core, 'find' | 'revisionOf'>) =>
  async (tid: string): Promise<PaymentNow | undefined> => {
    const payment = await find(payments, tid, 'log')
    const revision = revisionOf(streamOf(payments, tid))
    if (payment.status === 'unrequested' || revision === undefined) return undefined
    return { payment, revision }
  }

const merchantsInTurn = 50

/** Of these the first are told. */
const mostNamed = 50

/** Payments and permission requests that any merchant has given this order number. */
const namedIn = (core: Core) => {
  const idsOf = idsNamedIn(core, core)
  const isKnown = (id: string): boolean =>
    (core.payments.lists.find(id) ?? core.people.permissions.find(id)) !== undefined
  return async (order: string): Promise<readonly string[]> => {
    const found: string[] = []
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(order)) return found
    for (let before = Number.MAX_SAFE_INTEGER; found.length < mostNamed;) {
      const merchants = core.merchants.list.page(
        { state: 'all', part: '' },
        before,
        merchantsInTurn,
      )
      for (const { merchant } of merchants) {
        found.push(...idsOf(merchant, order, undefined).filter(isKnown))
        await nextTurn()
      }
      const last = merchants.at(-1)
      if (last === undefined || merchants.length < merchantsInTurn) break
      before = last.position
    }
    return found.slice(0, mostNamed)
  }
}

type Proof = Provable & { readonly merchant: string }

/** What a receipt proves of the subject of a story. */
const provingIn = (core: Core, rows: ReturnType<typeof auditRowsOf>) => {
  const { store, tree, transparency, accounting, find } = core
  const { checkpoints } = transparency
  const receipts = receiptsOf({ store, tree, checkpoints, accounting })
  const provable = provables({ receipts, ...accounting })
  return async (text: string): Promise<Proof | undefined> => {
    const subject = subjectOf(rows, text)
    if (subject.kind === 'payment') {
      const payment = await find(payments, subject.id, 'log')
      if (payment.status === 'unrequested') return undefined
      return { ...provable.payment(subject.id), merchant: payment.request.merchant }
    }
    if (subject.kind !== 'report' && subject.kind !== 'settlement') return undefined
    const { merchant } = subject
    const found =
      subject.kind === 'report'
        ? provable.report(merchant, subject.ledger, subject.number)
        : provable.settlement(merchant, subject.serial)
    return found && { ...found, merchant }
  }
}

/** The merchant that the first event of a subject without one names. */
const merchantOf = async (
  { store, find }: Pick<Core, 'store' | 'find'>,
  { kind, id }: Extract<Subject, { readonly id: string }>,
  given: string,
): Promise<string | null> => {
  const payment = await find(payments, id, 'log')
  if (payment.status !== 'unrequested') return payment.request.merchant
  const streams = [permissionRequests, corrections].map((one) => streamOf(one, id))
  for (const stream of kind === 'callback' ? [streamOf(callbacks, id)] : [...streams, given]) {
    const [first] = await store.readStream(stream, 0, 1)
    if (first) return parseEvent(first).metadata.merchant
  }
  return null
}

/** Explanations of the log for auditors and the operator. */
export const explaining = (core: Core) => {
  const { store, now, vault, accounting, audit } = core
  const { openAddress } = sealAddresses(vault)
  const rows = auditRowsOf({ accounting, audit })
  const paymentNow = remembered(core)
  const { findShop } = shopsOf(core)
  const zoneOf = async (given: string): Promise<TimeZone> => {
    const subject = subjectOf(rows, given)
    const merchant =
      'merchant' in subject ? subject.merchant : await merchantOf(core, subject, given)
    return (merchant && findShop(merchant)?.timeZone) || utc
  }
  const needsIn = (reader: StoryReader, timeZone: TimeZone) => ({
    store,
    now,
    openAddress,
    rows,
    paymentNow,
    texts: storyTexts(reader, timeZone),
  })
  return {
    openAddress,
    explain: async (subject: string, reader: StoryReader) => {
      const timeZone = await zoneOf(subject)
      const story = await explain(needsIn(reader, timeZone), subject)
      return story && { story, timeZone }
    },
    sumUp: async (subject: string, story: Story, number: string, reader: StoryReader) =>
      sumUp(needsIn(reader, await zoneOf(subject)), subject, story, number),
    named: namedIn(core),
    proofOf: provingIn(core, rows),
  }
}

import { operateCorrections } from '../application/corrections.ts'
import { operateDisputes } from '../application/disputes.ts'
import type { Core } from '../service/core.ts'
import { afterAnswer, during, Finding } from './oracle/books.ts'
import { moneyText } from './oracle/money.ts'
import { disputeClosed, disputed, type Expected, type Payment } from './oracle/payment.ts'
import type { Known, Play } from './known.ts'
import type { Numbered, Step } from './steps.ts'

const day = 86_400_000

type OfDispute = Extract<Step, { readonly do: 'dispute' | 'close dispute' }>

/** The operator opens or closes a dispute, and does so again where nobody saw the answer. */
export const dispute = async (play: Play, known: Known, step: OfDispute): Promise<void> => {
  const { world } = play
  const { tid, shop } = known
  const { number } = step
  const report = play.openReport.get(shop) ?? 1
  const act = (core: Core): Promise<unknown> => {
    const { openDispute, closeDispute } = operateDisputes(core)
    const contextOf = (merchant: string) => core.contextOf('operator', merchant)
    if (step.do === 'close dispute')
      return closeDispute(`${tid}-${number}`, step.outcome, contextOf)
    const gross = step.gross === 'everything' ? null : step.gross
    const about = { number, gross, fee: step.fee, reason: 'not as described' }
    return openDispute(tid, { ...about, due: world.now() + 9 * day }, contextOf)
  }
  const expect = (payment: Payment): Expected =>
    step.do === 'dispute'
      ? disputed(payment, step.gross, number, report)
      : disputeClosed(payment, number, step.outcome, report)
  for (let times = step.isTwice ? 2 : 1; times > 0; times -= 1) {
    const from = world.now()
    const status = await world.operate(act)
    const what = step.do === 'dispute' ? `a dispute of ${step.gross}` : `${step.outcome} it`
    play.tell(`the operator: ${what} → ${status}`)
    known.possible = afterAnswer(during(known.possible, world.span(from)), expect, status)
  }
}

/** One person proposes, and another one decides; who proposed may not approve. */
export const correct = async (
  play: Play,
  { n, shop, currency, amount, isApproved }: Extract<Step, { do: 'correct' }> & Numbered,
): Promise<void> => {
  const id = `correction-${n}`
  const report = play.openReport.get(shop) ?? 1
  const decide = (way: 'approve' | 'turnDown', person: string) => (core: Core) =>
    operateCorrections(core)[way](id, (merchant) => core.contextOf(`operator:${person}`, merchant))
  const propose = (core: Core) => {
    const about = { merchant: shop, ledger: 'default', currency, amount, reason: 'counted wrongly' }
    return operateCorrections(core).propose(id, about, core.contextOf('operator:ann', shop))
  }
  const done = [propose, decide('approve', 'ann')]
  const acts = isApproved
    ? [...done, decide('approve', 'ben'), decide('approve', 'ben')]
    : [...done, decide('turnDown', 'ben'), decide('approve', 'ben')]
  const statuses: number[] = []
  for (const act of acts) statuses.push(await play.world.operate(act))
  const told = `${moneyText(currency, amount)} ${currency}, ${isApproved ? '' : 'not '}approved`
  play.tell(`the operator corrects what ${shop} has by ${told} → ${statuses.join()}`)
  const right = isApproved ? '204,400,204,204' : '204,400,204,400'
  if (statuses.join() !== right)
    throw new Finding('corrected', `a correction was answered ${statuses.join()}, not ${right}`)
  if (isApproved) play.corrections.push({ id, shop, currency, amount, report })
}

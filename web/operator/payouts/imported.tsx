import {
  Crumbs,
  Link,
  Quiet,
  Table,
  Wrong,
  type Row,
  type Html,
  Title,
} from '../../ui/components.tsx'
import type { Context } from '../../../application/handle.ts'
import type { Imported } from '../../../application/import-statement.ts'
import type { ImportedOne } from '../../../application/match-bank-entries.ts'
import type { Part } from '../../../http/forms.ts'
import { dayText, factsHtml, sumText } from '../../portal/money-parts.tsx'
import { operatorPath } from '../areas.ts'
import type { OperatorPage, OperatorVisitor } from '../pages.tsx'
import { problemText } from './bank.tsx'
import { storyHref } from './list.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

/** What an import has done, or why it did nothing. */
type Answer =
  | {
      readonly kind: string
      readonly passedOver: number
      /** Statements of other accounts. */
      readonly leftOut: readonly { readonly account: string; readonly entries: number }[]
      readonly done: Imported
    }
  | { readonly problem: string }
  | { readonly tooMany: number; readonly most: number }

export type ImportNeeds = {
  readonly importBankFile: (
    bytes: Uint8Array,
    name: string,
    contextOf: (merchant: string | null) => Context,
  ) => Promise<Answer>
}

const colours = {
  paid: 'good',
  returned: 'warn',
  received: 'good',
  known: '',
  unmatched: 'bad',
} as const

const rowHtml =
  (visitor: OperatorVisitor) =>
  ({ outcome, endToEndId, messageId, day, amount, payouts, problem }: ImportedOne): Row => {
    const texts = textsIn[visitor.language].payouts
    const links = payouts.map(({ settlement: { merchant, serial, settlementId } }) => [
      <a href={storyHref(`${merchant}/${serial}`)}>{settlementId}</a>,
      ' ',
    ])
    return [
      { head: <span class={`badge ${colours[outcome]}`}>{texts[`result_${outcome}`]}</span> },
      dayText(day, visitor),
      { number: amount ? sumText(amount.sum, amount.currency, visitor) : '' },
      [links, problemText(problem, visitor)],
      <code>{endToEndId ?? messageId ?? ''}</code>,
    ]
  }

const mostRows = 100

const mostAccounts = 10

/** What nobody has explained comes first. */
const rowsListed = (all: readonly ImportedOne[]): readonly ImportedOne[] => {
  const isOpen = ({ outcome }: ImportedOne) => outcome === 'unmatched'
  return [...all.filter(isOpen), ...all.filter((one) => !isOpen(one))].slice(0, mostRows)
}

const leftOutText = (leftOut: Extract<Answer, { kind: string }>['leftOut']): string =>
  leftOut
    .slice(0, mostAccounts)
    .map(({ account, entries }) => `${account} (${entries})`)
    .join(', ') + (leftOut.length > mostAccounts ? ' …' : '')

const alarmHtml = (text: string): Html => <Wrong text={text} />

const failedPage = (text: string, { language }: OperatorVisitor): OperatorPage => {
  const texts = textsIn[language].payouts
  return {
    title: texts.notRead,
    status: 400,
    body: (
      <div class="card narrow-card">
        <h1>{texts.notRead}</h1>
        <Wrong text={text} />
        <div class="actions">
          <Link class="button" href={operatorPath('payouts/bank')} text={texts.bank} />
        </div>
      </div>
    ),
  }
}

const donePage = (
  visitor: OperatorVisitor,
  name: string,
  { kind, passedOver, leftOut, done }: Extract<Answer, { kind: string }>,
): OperatorPage => {
  const texts = textsIn[visitor.language].payouts
  const { paid, returned, received, known, unmatched, alarms, all } = done
  const rows = rowsListed(all)
  const more = all.length - rows.length
  const title = texts.fileRead({ name, kind })
  const heads = [texts.outcome, texts.bankDay, { number: texts.amount }, texts.of, texts.endToEnd]
  return {
    title,
    body: [
      <Crumbs links={[[operatorPath('payouts/bank'), texts.bank]]} />,
      <Title text={title} />,
      <section class="card">
        {alarms !== 0 && alarmHtml(texts.alarm({ count: alarms }))}
        {factsHtml([
          [texts.result_paid, String(paid)],
          [texts.result_returned, String(returned)],
          [texts.result_unmatched, String(unmatched)],
          [texts.known, String(known)],
          ...(received === 0 ? [] : [[texts.result_received, String(received)] as const]),
          [texts.passedOver, String(passedOver)],
          ...(leftOut.length === 0 ? [] : [[texts.leftOut, leftOutText(leftOut)] as const]),
        ])}
      </section>,
      all.length > 0 && (
        <section class="card">
          <Table label={title} kind="grid stacks" heads={heads} rows={rows.map(rowHtml(visitor))} />
          {more !== 0 && <Quiet text={texts.moreRows({ count: more })} />}
        </section>
      ),
    ],
  }
}

/** Imports a file, and shows what became of each of its entries. */
export const importedPage = async (
  { importBankFile }: ImportNeeds,
  visitor: OperatorVisitor,
  parts: readonly Part[],
  contextOf: (merchant: string | null) => Context,
): Promise<OperatorPage> => {
  const texts = textsIn[visitor.language].payouts
  const file = parts.find(({ name }) => name === 'file')
  const name = file?.fileName || texts.fileIs
  const answer = await importBankFile(file?.content ?? new Uint8Array(), name, contextOf)
  if ('problem' in answer) return failedPage(answer.problem, visitor)
  if ('tooMany' in answer)
    return failedPage(texts.tooMany({ count: answer.tooMany, most: answer.most }), visitor)
  return donePage(visitor, name, answer)
}

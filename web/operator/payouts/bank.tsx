import {
  Actions,
  Card,
  Crumbs,
  Hidden,
  MoreLink,
  Quiet,
  Table,
  type Row,
  type Html,
  Title,
} from '../../ui/components.tsx'
import { z } from 'zod'
import type { EntryProblem, SeenEntry } from '../../../domain/accounting/bank-entry.ts'
import { operatorMayDo } from '../../../domain/people/operator-roles.ts'
import { refuse } from '../../../domain/refusal.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { anyText, Field } from '../../ui/fields.tsx'
import { unseen } from '../../ui/words.tsx'
import { dayText, factsHtml, sumText } from '../../portal/money-parts.tsx'
import { operatorPath } from '../areas.ts'
import type { OperatorPage, OperatorVisitor, PageOf } from '../pages.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

type EntryRow = { readonly id: string; readonly position: number; readonly entry: SeenEntry }

export type BankPageNeeds = Pick<Queries['accounting'], 'bankEntries'>

/** Bytes of a file. */
export const largestBankFile = 4 * 1_048_576

const onPage = 50

export const bankQuery = z.object({ after: anyText('Entries seen after this position.') })

export const entryParams = z.object({ entry: z.string().regex(/^[\da-f]{32}$/) })

const entryHref = (id: string): string => operatorPath(`payouts/bank/${id}`)

export const problemText = (
  problem: EntryProblem | 'unexpected_money' | null,
  { language }: OperatorVisitor,
): string => (problem === null ? '' : textsIn[language].payouts[`problem_${problem}`])

const entryRow =
  (visitor: OperatorVisitor) =>
  ({ id, entry }: EntryRow): Row => {
    const texts = textsIn[visitor.language].payouts
    return [
      { head: dayText(entry.day, visitor) },
      texts[`side_${entry.side}`],
      { number: <b>{sumText(entry.amount, entry.currency, visitor)}</b> },
      problemText(entry.problem, visitor),
      <code>{entry.endToEndId ?? entry.reference ?? ''}</code>,
      { kind: 'links', text: <a href={entryHref(id)}>{texts.show}</a> },
    ]
  }

const openHtml = ({ bankEntries }: BankPageNeeds, visitor: OperatorVisitor, call: Call): Html => {
  const texts = textsIn[visitor.language].payouts
  const after = Number(searchOf(call).get('after')) || 0
  const found = bankEntries.openAfter(after, onPage + 1)
  const listed = found.slice(0, onPage)
  if (listed.length === 0) return <Quiet text={texts.noEntries} />
  const { bankDay, kind, amount, why, reference } = texts
  const heads = [bankDay, kind, { number: amount }, why, reference, unseen(texts.show)]
  const next = operatorPath(`payouts/bank?after=${listed.at(-1)?.position}`)
  const rows = listed.map(entryRow(visitor))
  return [
    <Table label={texts.entries} kind="grid stacks" heads={heads} rows={rows} />,
    found.length > onPage && <MoreLink href={next} text={texts.older} />,
  ]
}

const uploadHtml = ({ language, csrf, me }: OperatorVisitor): Html => {
  if (!operatorMayDo(me.terms, 'order_payouts')) return null
  const texts = textsIn[language].payouts
  return (
    <form
      class="card narrow-card"
      method="post"
      enctype="multipart/form-data"
      action={operatorPath('payouts/bank')}
    >
      <h2>{texts.importFile}</h2>
      <Hidden fields={{ csrf }} />
      <Field
        name="file"
        label={texts.file}
        hint={texts.importWhat({ size: largestBankFile / 1_048_576 })}
        type="file"
        accept=".xml,text/xml,application/xml"
        required
      />
      <Actions button={texts.importIt} />
    </form>
  )
}

const wayBack = ({ language }: OperatorVisitor, to: string, text: 'payouts' | 'bank'): Html => (
  <Crumbs links={[[operatorPath(to), textsIn[language].payouts[text]]]} />
)

/** What the bank says that is of no payout, and the form for its files. */
export const bankPage: PageOf<BankPageNeeds> = (needs, visitor, call) => {
  const texts = textsIn[visitor.language].payouts
  return {
    title: texts.bank,
    body: [
      wayBack(visitor, 'payouts', 'payouts'),
      <Title text={texts.bank} />,
      uploadHtml(visitor),
      <Card title={texts.entries}>{openHtml(needs, visitor, call)}</Card>,
    ],
  }
}

/** One entry, and the form that takes it off the list. @throws Refusal resource_is_unknown */
export const entryPage = (
  { bankEntries }: BankPageNeeds,
  visitor: OperatorVisitor,
  id: string,
): OperatorPage => {
  const texts = textsIn[visitor.language].payouts
  const { entry, isOpen } = bankEntries.find(id) ?? refuse('resource_is_unknown')
  const mayDismiss = isOpen && operatorMayDo(visitor.me.terms, 'order_payouts')
  return {
    title: texts.entry,
    body: [
      wayBack(visitor, 'payouts/bank', 'bank'),
      <Title text={texts.entry} />,
      <section class="card">
        {factsHtml([
          [texts.bankDay, dayText(entry.day, visitor)],
          [texts.amount, sumText(entry.amount, entry.currency, visitor)],
          [texts.kind, texts[`side_${entry.side}`]],
          [texts.why, problemText(entry.problem, visitor)],
          [texts.endToEnd, entry.endToEndId ?? '–'],
          [texts.message, entry.messageId ?? '–'],
          [texts.reference, entry.reference ?? '–'],
          [texts.statement, `${entry.source.kind} ${entry.source.id}`],
        ])}
      </section>,
      mayDismiss && (
        <form class="card narrow-card" method="post" action={entryHref(id)}>
          <h2>{texts.dismiss}</h2>
          <p>{texts.dismissWhat}</p>
          <Hidden fields={{ csrf: visitor.csrf }} />
          <Field name="note" label={texts.note} maxlength={200} required />
          <Actions button={texts.dismiss} />
        </form>
      ),
    ],
  }
}

import { html } from 'hono/html'
import { z } from 'zod'
import type { EntryProblem, SeenEntry } from '../../../domain/accounting/bank-entry.ts'
import { operatorMayDo } from '../../../domain/people/operator-roles.ts'
import { refuse } from '../../../domain/refusal.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { asked, inputField } from '../../ui/fields.ts'
import type { Html } from '../../ui/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import { unseen } from '../../ui/words.ts'
import { dayText, factsHtml, sumText } from '../../portal/money-parts.ts'
import { card, crumbs, headedTable, moreLink, quiet, scrolling } from '../../portal/parts.ts'
import { operatorPath } from '../areas.ts'
import type { OperatorPage, OperatorVisitor, PageOf } from '../pages.ts'
import { textsIn } from '../../../texts/catalogue.ts'

type EntryRow = { readonly id: string; readonly position: number; readonly entry: SeenEntry }

export type BankPageNeeds = Pick<Queries['accounting'], 'bankEntries'>

/** Bytes of a file. */
export const largestBankFile = 4 * 1_048_576

const onPage = 50

export const bankQuery = z.object({ after: asked('Entries seen after this position.') })

export const entryParams = z.object({ entry: z.string().regex(/^[\da-f]{32}$/) })

const entryHref = (id: string): string => operatorPath(`payouts/bank/${id}`)

export const problemText = (problem: EntryProblem | null, { language }: OperatorVisitor): string =>
  problem === null ? '' : textsIn[language].payouts[`problem_${problem}`]

const entryRow =
  (visitor: OperatorVisitor) =>
  ({ id, entry }: EntryRow): Html => {
    const texts = textsIn[visitor.language].payouts
    return html`<tr>
      <th scope="row">${dayText(entry.day, visitor)}</th>
      <td>${texts[`side_${entry.side}`]}</td>
      <td class="number"><b>${sumText(entry.amount, entry.currency, visitor)}</b></td>
      <td>${problemText(entry.problem, visitor)}</td>
      <td><code>${entry.endToEndId ?? entry.reference ?? ''}</code></td>
      <td class="links"><a href="${entryHref(id)}">${texts.show}</a></td>
    </tr>`
  }

const openHtml = ({ bankEntries }: BankPageNeeds, visitor: OperatorVisitor, call: Call): Html => {
  const texts = textsIn[visitor.language].payouts
  const after = Number(searchOf(call).get('after')) || 0
  const found = bankEntries.openAfter(after, onPage + 1)
  const shown = found.slice(0, onPage)
  if (shown.length === 0) return quiet(texts.noEntries)
  const { bankDay, kind, amount, why, reference } = texts
  const heads = [bankDay, kind, { number: amount }, why, reference, unseen(texts.show)]
  const next = operatorPath(`payouts/bank?after=${shown.at(-1)?.position}`)
  const rows = shown.map(entryRow(visitor))
  return html`${scrolling(texts.entries, headedTable('grid stacks', heads, rows))}
  ${found.length > onPage ? moreLink(next, texts.older) : ''}`
}

const uploadHtml = ({ language, csrf, me }: OperatorVisitor): Html | '' => {
  if (!operatorMayDo(me.terms, 'order_payouts')) return ''
  const texts = textsIn[language].payouts
  return html`<form
    class="card narrow-card"
    method="post"
    enctype="multipart/form-data"
    action="${operatorPath('payouts/bank')}"
  >
    <h2>${texts.importFile}</h2>
    ${hiddenFields({ csrf })}
    ${inputField({
      name: 'file',
      label: texts.file,
      hint: texts.importWhat({ size: largestBankFile / 1_048_576 }),
      attributes: html`type="file" accept=".xml,text/xml,application/xml" required`,
    })}
    <div class="actions"><button>${texts.importIt}</button></div>
  </form>`
}

const wayBack = ({ language }: OperatorVisitor, to: string, text: 'payouts' | 'bank'): Html =>
  crumbs([operatorPath(to), textsIn[language].payouts[text]])

/** What the bank says that is of no payout, and the form for its files. */
export const bankPage: PageOf<BankPageNeeds> = (needs, visitor, call) => {
  const texts = textsIn[visitor.language].payouts
  return {
    title: texts.bank,
    body: html`${wayBack(visitor, 'payouts', 'payouts')}
      <div class="head"><h1>${texts.bank}</h1></div>
      ${uploadHtml(visitor)} ${card(texts.entries, openHtml(needs, visitor, call))}`,
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
    body: html`${wayBack(visitor, 'payouts/bank', 'bank')}
      <div class="head"><h1>${texts.entry}</h1></div>
      <section class="card">
        ${factsHtml([
          [texts.bankDay, dayText(entry.day, visitor)],
          [texts.amount, sumText(entry.amount, entry.currency, visitor)],
          [texts.kind, texts[`side_${entry.side}`]],
          [texts.why, problemText(entry.problem, visitor)],
          [texts.endToEnd, entry.endToEndId ?? '–'],
          [texts.message, entry.messageId ?? '–'],
          [texts.reference, entry.reference ?? '–'],
          [texts.statement, `${entry.source.kind} ${entry.source.id}`],
        ])}
      </section>
      ${
        mayDismiss
          ? html`<form class="card narrow-card" method="post" action="${entryHref(id)}">
              <h2>${texts.dismiss}</h2>
              <p>${texts.dismissWhat}</p>
              ${hiddenFields({ csrf: visitor.csrf })}
              ${inputField({
                name: 'note',
                label: texts.note,
                attributes: html`maxlength="200" required`,
              })}
              <div class="actions"><button>${texts.dismiss}</button></div>
            </form>`
          : ''
      }`,
  }
}

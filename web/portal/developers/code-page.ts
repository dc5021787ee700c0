import { html } from 'hono/html'
import type { Call } from '../../../http/call.ts'
import { fieldOf, type Fields } from '../../../http/forms.ts'
import { codeField } from '../../ui/fields.ts'
import { codeProblem } from '../../staff/code.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import type { PortalPages } from '../pages.ts'
import { formPage } from '../parts.ts'
import { textsOf } from './parts.ts'

type CodeCall = Call<unknown, undefined, Fields<'code'>>

/** Undefined when the form has the right code; else the page that asks for it. */
export type AskCode = (
  visitor: PortalVisitor,
  call: CodeCall,
  place: {
    /** Of the form. */
    readonly path: string
    /** Fields that do not count, so that they are not kept. */
    readonly without?: readonly string[]
  },
) => Promise<PortalPage | undefined>

/** Between a form and what it does, a page with the same fields asks for a one-time code. */
export const askCode =
  (confirm: PortalPages['confirm']): AskCode =>
  async (visitor, call, { path, without = [] }) => {
    const problem = await codeProblem(confirm, visitor, call)
    if (problem === undefined) return undefined
    const texts = textsOf(visitor)
    const isWrong = fieldOf(call.body, 'code') !== ''
    const isKept = ([name]: readonly [string, unknown]) =>
      !['csrf', 'code', ...without].includes(name)
    const fields: readonly (readonly [string, unknown])[] = Object.entries(call.body)
    const kept = fields.filter(isKept).map(([name, value]) => [name, String(value)])
    return formPage(visitor, {
      ...{ title: texts.codeTitle, button: visitor.texts.continue, action: path, back: path },
      ...{ isWrong, hidden: Object.fromEntries(kept) as Record<string, string> },
      fields: html`<p>${texts.codeWhat}</p>
        ${codeField(visitor.texts, isWrong ? problem : undefined, html`autofocus`)}`,
    })
  }

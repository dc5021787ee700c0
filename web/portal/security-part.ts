import { html } from 'hono/html'
import { filledText } from '../../application/filled-text.ts'
import type { SecurityEvent } from '../../application/security-log.ts'
import { shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { actorNames, type ActorNeeds } from './actors.ts'
import { newsWords } from './news-words.ts'
import type { PortalVisitor } from './page.ts'
import { headedTable, quiet } from './parts.ts'
import { staffTexts } from './texts-staff.ts'

export type SecurityLine = SecurityEvent & { readonly at: string; readonly times?: number }

export type SecurityPartNeeds = ActorNeeds & {
  /** The newest lines about a merchant, newest first. */
  readonly securityOf: (merchant: string) => readonly SecurityLine[]
}

/** What the security log tells of the merchant. */
export const securityHtml = async (
  needs: SecurityPartNeeds,
  visitor: PortalVisitor,
): Promise<Html> => {
  const { shop, language, locale } = visitor
  const texts = staffTexts[language]
  const known: Readonly<Record<string, string>> = texts
  /** An event is called what news call it. */
  const saidOf = ({ reason = '', about = '' }: Pick<SecurityLine, 'reason' | 'about'>) =>
    newsWords(language)({ type: reason, stream: about })?.text
  const nameOf = await actorNames(needs)(shop.merchant, language)
  const lines = needs.securityOf(shop.merchant)
  if (lines.length === 0) return quiet(texts.nobodyElse)
  const rows = lines.map(
    async ({ at, type, reason, about, actor, address, times }) =>
      html`<tr>
        <td>${shownTime(Date.parse(at), locale)}</td>
        <td>
          ${saidOf({ reason, about }) ?? known[`seen_${type}`] ?? type}
          ${reason === undefined ? '' : html`<span class="value"><code>${reason}</code></span>`}
          ${
            times === undefined
              ? ''
              : html`<span class="badge">${filledText(texts.times, times + 1)}</span>`
          }
        </td>
        <td>${await nameOf(actor)}</td>
        <td>${address ?? ''}</td>
      </tr>`,
  )
  const heads = [texts.when, texts.event, texts.by, texts.from]
  return html`<div class="scroll tall" tabindex="0" role="region" aria-label="${texts.securityLog}">
    ${headedTable('grid stacks', heads, await Promise.all(rows))}
  </div>`
}

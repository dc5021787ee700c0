import { html } from 'hono/html'
import type { Instant } from '../../domain/time.ts'
import { shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { filled } from '../ui/words.ts'
import { problemText } from './problem-texts.ts'
import type { Language } from '../../texts/generated/texts.ts'
import type { Message } from '../../texts/message.ts'

/** An address whose callbacks fail. */
export type FailingAddress = {
  readonly destination: string
  readonly failingSince: Instant | null
  readonly problem: string | null
  readonly restedAt: Instant | null
}

type AddressTexts = { readonly since: Message<'time'>; readonly rests: string }

export const failingAddresses = (
  found: readonly FailingAddress[],
  { since, rests }: AddressTexts,
  { locale, language }: { readonly locale: string; readonly language: Language },
): Html =>
  html`<ul class="list">
    ${found.map(({ destination, failingSince, problem, restedAt }) => {
      const time = failingSince === null ? undefined : shownTime(failingSince, locale)
      return html`<li class="row">
        <span
          ><span class="name">${destination}</span>
          <span class="quiet small"
            >${problem ? html`${problemText(problem, language)}&nbsp;·` : ''}
            ${time === undefined ? '' : filled(since, { time })}</span
          ></span
        >
        ${restedAt === null ? '' : html`<b class="badge bad">${rests}</b>`}
      </li>`
    })}
  </ul>`

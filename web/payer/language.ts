import { z } from 'zod'
import type { Handle } from '../../application/handle.ts'
import { payers } from '../../domain/aggregates.ts'
import { contextOfPayer } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { openPages } from './pages.ts'
import { redirectReply } from '../ui/page.tsx'
import { languageCookie, yearOfCookies } from '../ui/texts.ts'
import type { Visits } from './session.tsx'
import { languages } from '../../texts/catalogue.ts'

/** A page that somebody came from; the root of the payer's pages for any other. */
const pageIn = (referer = ''): string =>
  /^[^/]*\/\/[^/]*(\/(?:payer|portal|operator|audit|oauth2)\/[^#]*)/.exec(referer)?.[1] ?? '/payer/'

type LanguageNeeds = { readonly isSecure: boolean; readonly handle: Handle }

/**
 * Keeps the language that somebody chooses below a page, and leads back to that page. Whoever has
 * signed in finds it on other devices, too.
 */
export const languageRoutes = ({ isSecure, handle }: LanguageNeeds, visits: Visits): Route[] => [
  openPages.get('/payer/language/:language', {
    summary: 'Choose the language of all pages, kept in a cookie for a year and with the account',
    params: z.object({
      language: z.enum(languages).meta({ description: 'One of the languages of the pages.' }),
    }),
    success: 'raw otherwise',
    errors: { 303: 'Back to the page.' },
    handle: (call) =>
      visits.page(call, async ({ session }) => {
        const { language } = call.params
        const { header } = call.request
        // No other site chooses for somebody.
        const isOwn = /^(?:same-origin|none)$/.test(header('sec-fetch-site') ?? 'none')
        const command = { type: 'ChangePreferences', preferences: { language } } as const
        if (session && isOwn)
          await handle(payers, session.payer, command, contextOfPayer(call, session.payer))
        const cookie = languageCookie(isSecure).keepFor(language, yearOfCookies)
        return redirectReply(pageIn(header('referer')), isSecure, [cookie])
      }),
  }),
]

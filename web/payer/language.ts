import { z } from 'zod'
import type { Route } from '../../http/route.ts'
import { openPages } from './pages.ts'
import { redirectReply } from '../ui/page.tsx'
import { languageCookie } from '../ui/texts.ts'
import { languages } from '../../texts/catalogue.ts'

const year = 31_536_000

/** A page that somebody came from; the root of the payer's pages for any other. */
const pageIn = (referer = ''): string =>
  /^[^/]*\/\/[^/]*(\/(?:payer|portal|operator|audit|oauth2)\/[^#]*)/.exec(referer)?.[1] ?? '/payer/'

/** Keeps the language that somebody chooses below a page, and leads back to that page. */
export const languageRoutes = ({ isSecure }: { readonly isSecure: boolean }): Route[] => [
  openPages.get('/payer/language/:language', {
    summary: 'Choose the language of all pages, kept in a cookie for a year',
    params: z.object({
      language: z.enum(languages).meta({ description: 'One of the languages of the pages.' }),
    }),
    success: 'raw otherwise',
    errors: { 303: 'Back to the page.' },
    handle: ({ params, request }) => {
      const cookie = languageCookie(isSecure).keepFor(params.language, year)
      return redirectReply(pageIn(request.header('referer')), isSecure, [cookie])
    },
  }),
]

import { z } from 'zod'
import { searchOf } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { anyText } from '../ui/fields.tsx'
import { keptForm } from './kept-form.ts'
import { toSignIn } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import { sealing, type Sealing } from './sealing.ts'
import type { Visits } from './session.tsx'

/** Shows that a form is kept; only whom it was made for can send it. */
export const resumeRoutes = (needs: Sealing, visits: Visits): Route[] => {
  const forms = sealing(needs, keptForm)
  return [
    payerPages(visits).page(
      {
        path: '/payer/resume',
        summary: 'Go on with a form that was sent after the session had ended',
        ownQuery: z.object({ form: anyText('The form, sealed.') }),
        errors: { 303: `${toSignIn} To the page of the form, when it is not of this payer.` },
      },
      async (visitor, call) => {
        const form = forms.read(searchOf(call).get('form') ?? '', call.at)
        if (!form) return visits.go(visitor, '/payer/')
        const { path, fields } = form
        const csrf = fields.find(([name]) => name === 'csrf')?.[1] ?? ''
        if (!visits.isOwnForm(visitor, csrf)) return visits.go(visitor, path)
        const { texts } = visitor
        return visits.show(visitor, {
          title: texts.resume,
          body: (
            <div class="card">
              <h1>{texts.resume}</h1>
              <p>{texts.resumeWhat}</p>
              <form method="post" action={path}>
                <input type="hidden" name="csrf" value={visitor.csrf} />
                {fields
                  .filter(([name]) => name !== 'csrf')
                  .map(([name, value]) => (
                    <input type="hidden" name={name} value={value} />
                  ))}
                <div class="actions">
                  <button>{texts.continue}</button>
                  <a class="button second" href={path}>
                    {texts.cancel}
                  </a>
                </div>
              </form>
            </div>
          ),
        })
      },
    ),
  ]
}

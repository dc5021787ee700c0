// An auditor's browser or program, with every response checked against the OpenAPI document.
import { readFileSync } from 'node:fs'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { securityLogFiles } from '../../infrastructure/logs/security-log.ts'
import {
  isAuditors,
  makeAnswerCheck,
  openApiDocument,
  templateOf,
} from '../http/openapi-document.ts'
import { startAuditedService } from './audited-service.ts'

type Sent = { readonly method?: string; readonly form?: Record<string, string> } & {
  readonly headers?: Record<string, string>
}

type Credentials = { readonly id: string; readonly password: string; readonly totp_secret: string }

export const cookieOf = ({ headers }: { readonly headers: Headers }): Record<string, string> => ({
  cookie: headers.get('set-cookie')?.split(';')[0] ?? '',
})

export const startVisits = async () => {
  const service = await startAuditedService()
  const printed = await fetch(`${service.address}/openapi.json`)
  const document = openApiDocument.parse(await printed.json())
  const answers = makeAnswerCheck(document)

  const visit = async (path: string, { method = 'GET', form, headers = {} }: Sent = {}) => {
    const init = { method, headers, redirect: 'manual' as const }
    const body = form && { body: new URLSearchParams(form) }
    const answer = await fetch(service.address + path, { ...init, ...body })
    const text = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    const header = (name: string) => answer.headers.get(name)
    const parsed = /json(;|$)/.test(type) ? JSON.parse(text) : text
    const shown = { status: answer.status, type, header, text, body: parsed }
    answers.check(method, templateOf(document, path.replace(/\?.*/, '')), shown)
    return { status: answer.status, headers: answer.headers, text }
  }

  return {
    ...service,
    visit,
    /** Auditor operations without a response so far. */
    unseen: () => answers.unseen().filter(isAuditors),
    add: async (id: string, ...words: string[]): Promise<any> => {
      const named = ['--json', 'auditor', 'add', id, '--name', `Auditor ${id}`]
      const { output, errors } = await service.run(...named, ...words)
      if (errors !== '') throw new Error(errors)
      return JSON.parse(output)
    },
    /** Uses the code of an earlier period, because each code can be used once. */
    signIn: async ({ id, password, totp_secret }: Credentials, early = 0, more: Sent = {}) => {
      const code = codeAt(totp_secret, Date.now() - 30_000 * early)
      const form = { id, password, code }
      return visit('/audit/sign-in?next=%2Faudit%2Fevents', { method: 'POST', form, ...more })
    },
    looks: (actor: string): { about: string }[] =>
      securityLogFiles(service.folder).flatMap(({ file }) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.includes('"auditor_read"') && line.includes(`"${actor}"`))
          .map((line) => JSON.parse(line)),
      ),
  }
}

export type Visits = Awaited<ReturnType<typeof startVisits>>

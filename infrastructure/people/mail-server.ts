import type { Settings } from '../settings.ts'
import { sha256 } from './id-tokens.ts'

export type Mail = { readonly to: string; readonly subject: string; readonly text: string }

/** Why a mail was not accepted, without the address that it was for. */
export type MailProblem = { readonly status: number | null; readonly problem: string }

export const isMailServer = (url: string | undefined): boolean => /^smtps?:/.test(url ?? '')

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

const problemOf = (error: unknown): MailProblem => {
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  return { status: responseCode ?? null, problem: code ?? 'the mail server failed' }
}

/** The mail server of `MAIL_URL`, by SMTP. The library is loaded with the first mail. */
export const mailServer = ({
  MAIL_URL: url = '',
  MAIL_FROM,
  PUBLIC_URL,
  MODE,
}: Pick<Settings, 'MAIL_URL' | 'MAIL_FROM' | 'PUBLIC_URL' | 'MODE'>) => {
  const host = new URL(PUBLIC_URL ?? 'http://localhost').hostname
  const from = MAIL_FROM ?? `no-reply@${host}`
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    // What the address says comes before these.
    return createTransport({ url, requireTLS: MODE === 'production', ...timeouts })
  }
  let opened: ReturnType<typeof open> | undefined
  const transport = () => (opened ??= open())

  return {
    /** Undefined once the server has accepted it. Repeats of an id are the same message. */
    send: async (id: string, mail: Mail): Promise<MailProblem | undefined> => {
      const messageId = `<${sha256(id)}@${host}>`
      const headers = { 'Auto-Submitted': 'auto-generated' }
      try {
        const transporter = await transport()
        await transporter.sendMail({ from, ...mail, messageId, headers, disableFileAccess: true })
        return undefined
      } catch (error) {
        return problemOf(error)
      }
    },
    /** Signs in and leaves. Undefined if that works. */
    check: async (): Promise<MailProblem | undefined> =>
      (await transport()).verify().then(() => undefined, problemOf),
    close: (): void => void opened?.then((transporter) => transporter.close()),
  }
}

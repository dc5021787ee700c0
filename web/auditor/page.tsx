import { Link, type Html } from '../ui/components.tsx'
import { brandMark, documentText, htmlReply, languageMenu, pageHeaders } from '../ui/page.tsx'
import { refusalText } from '../portal/developers/refusal-texts.ts'
import { textOfRefusal } from '../../http/refusal-answers.ts'
import type { RawReply, RawStatus } from '../../http/route.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'
import { plainText } from '../../texts/message.ts'

export type AuditPage = {
  readonly title: string
  readonly body: Html
  readonly status?: RawStatus
  /** Absent before the sign-in. */
  readonly auditor?: string | undefined
  /** The path of the page, which the menu marks. */
  readonly path: string
  readonly language: Language
  readonly cookies?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export const signInPath = '/audit/sign-in'

const menu = [
  ['/audit/', 'overview'],
  ['/audit/events', 'events'],
  ['/audit/explain', 'explain'],
  ['/audit/refusals', 'refusals'],
  ['/audit/checkpoints', 'checkpoints'],
  ['/audit/query', 'query'],
  ['/audit/export', 'export'],
] as const

const menuHtml = (path: string, auditor: string, texts: Catalogue['auditor']): Html => (
  <nav aria-label={texts.menu}>
    {menu.map(([href, name]) => (
      <Link href={href} aria-current={href === path ? 'page' : undefined} text={texts[name]} />
    ))}
    <form method="post" action="/audit/sign-out">
      <button class="plain">{texts.signOut({ name: auditor })}</button>
    </form>
  </nav>
)

/** A page of auditors: no script, and a policy that lets nothing in from elsewhere. */
export const auditPage = async (page: AuditPage, isSecure: boolean): Promise<RawReply> => {
  const { title, body, status = 200, auditor, path, language } = page
  const { cookies = [], headers } = page
  const texts = textsIn[language].auditor
  const whole = (
    <body class="audit">
      <header>
        <span class="brand">
          {brandMark} {texts.place}
        </span>
        {auditor !== undefined && menuHtml(path, auditor, texts)}
      </header>
      <main class={auditor === undefined ? 'narrow-main' : 'full'}>{body}</main>
      <footer>{languageMenu(textsIn[language].payer, language)}</footer>
    </body>
  )
  const text = await documentText({
    language,
    title: `${title} · ${texts.place}`,
    body: whole,
    head: ['/payer/style.css', '/audit/style.css'].map((href) => (
      <link rel="stylesheet" href={href} />
    )),
  })
  return htmlReply(text, { ...pageHeaders(isSecure), ...headers }, { status, cookies })
}

/** A time to the second, in UTC. */
export const shownTime = (at: number): Html => {
  const iso = new Date(at).toISOString()
  return <time datetime={iso}>{iso.slice(0, 19).replace('T', ' ')}</time>
}

export const eventLink = (position: number): Html => (
  <a href={`/audit/event/${position}`}>{position}</a>
)

export const explainHref = (subject: string, number?: string): string => {
  const more = number === undefined ? '' : `&number=${encodeURIComponent(number)}`
  return `/audit/explain?subject=${encodeURIComponent(subject)}${more}`
}

/** What is told in English on a page of any language. */
export const inEnglish = (text: string): Html => <span lang="en">{text}</span>

/** Why a rule refuses; in English where no other text is there. */
export const ruleHtml = (rule: string, language: Language): Html => {
  if (language === 'en') return inEnglish(textOfRefusal(rule) ?? '')
  const key = `refused_${rule}`
  const ofPages = plainText(textsIn[language].payer, key)
  return refusalText(rule, language) ?? ofPages ?? inEnglish(textOfRefusal(rule) ?? '')
}

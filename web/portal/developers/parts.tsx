import {
  Button,
  Done,
  Facts,
  Form,
  Link,
  type Fact,
  type Html,
  Title,
} from '../../ui/components.tsx'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'
import { plainText, type PlainKey } from '../../../texts/message.ts'

const tabs = ['users', 'applications', 'callbacks', 'destinations', 'requests', 'sandbox'] as const
export type Tab = (typeof tabs)[number]

/** `developersPath('shop', 'applications')`; the first tab is the page of the area. */
export const developersPath = (merchant: string, path = ''): string =>
  portalPath(merchant, path === '' ? 'developers' : `developers/${path}`)

export const textsOf = ({ language }: Pick<PortalVisitor, 'language'>): Catalogue['developers'] =>
  textsIn[language].developers

const tabsHtml = (visitor: PortalVisitor, current: Tab): Html => {
  const texts = textsOf(visitor)
  const listed = tabs.filter((tab) => tab !== 'sandbox' || visitor.isSandbox)
  return (
    <nav class="dev-tabs" aria-label={texts.developers}>
      {listed.map((tab) => (
        <Link
          href={developersPath(visitor.shop.merchant, tab === 'users' ? '' : tab)}
          aria-current={tab === current ? 'page' : undefined}
          text={texts[`tab_${tab}`]}
        />
      ))}
    </nav>
  )
}

type TabPage = Omit<PortalPage, 'area'> & {
  readonly tab: Tab
  /** Links beside the title. */
  readonly actions?: Html
  /** What has been done. */
  readonly done?: string | undefined
}

/** A page of the area, with its tabs. */
export const developersPage = (visitor: PortalVisitor, view: TabPage): PortalPage => {
  const { tab, actions = '', done, body, ...page } = view
  return {
    ...page,
    body: [
      <Title text={textsOf(visitor).developers}>{actions}</Title>,
      tabsHtml(visitor, tab),
      <Done text={done} />,
      body,
    ],
  }
}

/** What `?done=` of an address says, unless it says nothing that is known. */
export const doneIn = (
  visitor: PortalVisitor,
  search: URLSearchParams,
  known: Readonly<Record<string, PlainKey<Catalogue['developers']>>>,
): string | undefined => {
  const key = known[search.get('done') ?? '']
  return key && textsOf(visitor)[key]
}

/** Copies the text of an element; hidden without scripts. */
const copyButton = (visitor: PortalVisitor, id: string): Html => (
  <Button
    type="button"
    class="second slim"
    data-copy={id}
    data-done={visitor.texts.copied}
    aria-live="polite"
    hidden
    text={textsOf(visitor).copy}
  />
)

/** A text to be copied as it is. */
export const copyHtml = (visitor: PortalVisitor, id: string, text: string): Html => (
  <span class="dev-copied">
    <code id={id}>{text}</code>
    {copyButton(visitor, id)}
  </span>
)

export const codeBlock = (visitor: PortalVisitor, id: string, text: string): Html => (
  <div class="dev-code">
    <pre id={id} tabindex={0}>
      {text}
    </pre>
    {copyButton(visitor, id)}
  </div>
)

type Act = {
  readonly path: string
  readonly change: string
  readonly label: Html
  readonly hidden?: Readonly<Record<string, string>>
  readonly fields?: Html
  readonly kind?: 'second' | 'danger' | ''
}

/** A form of one button. */
export const actHtml = (visitor: PortalVisitor, act: Act): Html => {
  const { path, change, label, hidden = {}, fields = '', kind = 'second' } = act
  return (
    <Form class="dev-act" action={path} hidden={{ csrf: visitor.csrf, change, ...hidden }}>
      {fields} <button class={`slim ${kind}`}>{label}</button>
    </Form>
  )
}

/** An act behind a question. */
export const questionHtml = (title: string, text: Html, act: Html): Html => (
  <details class="asked">
    <summary>{title}</summary>
    <p class="quiet small">{text}</p>
    {act}
  </details>
)

/** What a callback tells, in words. */
export const callbackWords = (visitor: PortalVisitor, event: string): string =>
  plainText(textsOf(visitor), `event_${event}`) ?? event

export const factsHtml = (facts: readonly Fact[]): Html => <Facts kind="dev-facts" of={facts} />

import {
  Card,
  Done,
  Quiet,
  Table,
  Wrong,
  type Fact,
  type Html,
  Title,
} from '../../ui/components.tsx'
import type { AuditNeeds } from '../../../http/health-audit.ts'
import { utcTime } from '../../ui/money.tsx'
import { factsHtml } from '../../portal/money-parts.tsx'
import type { ServiceNeeds } from '../../../http/service.ts'
import type { OperatorPage, OperatorVisitor } from '../pages.tsx'
import { textsIn } from '../../../texts/catalogue.ts'
import { filledText } from '../../../texts/message.ts'

type Ready = Awaited<ReturnType<ServiceNeeds['ready']>>

type Health = {
  readonly ready: Ready
  readonly freeBytes: number | undefined
  readonly callbacks: Readonly<Record<'unfinished' | 'due' | 'later' | 'rested', number>>
  readonly listeners: number
  /** Limits of text messages that were reached in the last hour. */
  readonly messageAlarms: readonly { readonly which: string }[]
  readonly checkpoint: Readonly<Record<'size' | 'signedAt' | 'cosigned', number>> | undefined
  /** Of the log, as far as it is read. */
  readonly events: number
  readonly reportsClosing: number
  readonly settlementsUnfinished: number
  readonly nodes: readonly Node[] | undefined
}

type Node = {
  readonly name: string
  readonly isOwn: boolean
  readonly does: readonly string[]
  readonly version: string
}

export type HealthNeeds = AuditNeeds &
  Pick<ServiceNeeds, 'readyDetails'> & { readonly health: () => Promise<Health> }

const number = (value: number, { locale }: OperatorVisitor): string =>
  new Intl.NumberFormat(locale).format(value)

const problemsOf = (
  { ready, messageAlarms }: Health,
  { language }: OperatorVisitor,
): readonly string[] => {
  const texts = textsIn[language].watch
  return [
    ...ready.failing.map(({ of, why }) => filledText(texts[`${of}Fails`], { reason: why })),
    ...messageAlarms.map(({ which }) => texts.messagesLimited({ which })),
    ...(ready.isDamaged ? [texts.damaged] : []),
    ...(ready.damagedAt === undefined ? [] : [texts.damagedAt({ position: ready.damagedAt })]),
  ]
}

const readyHtml = (needs: HealthNeeds, health: Health, visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].watch
  const { ready, freeBytes } = health
  const state = ready.isReady ? <Done text={texts.ready} /> : <Wrong text={texts.notReady} />
  const free: Fact[] =
    freeBytes === undefined ? [] : [[texts.diskFree, sizeText(freeBytes, visitor)]]
  return (
    <section class="card">
      {state}
      {problemsOf(health, visitor).map((one) => (
        <p>{one}</p>
      ))}
      {Object.entries(needs.readyDetails()).map(([name, why]) => (
        <p>
          <code>{name}</code>: {why.join(' ')}
        </p>
      ))}
      {factsHtml([
        [texts.store, ready.isStoreUp ? texts.storeUp : '–'],
        [texts.head, number(ready.head, visitor)],
        [texts.events, number(health.events, visitor)],
        ...free,
      ])}
    </section>
  )
}

const sizeText = (bytes: number, { locale }: OperatorVisitor): string => {
  const unit = { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, unit).format(bytes / 1e9)
}

/** What follows the log, and where it is. */
const lagHtml = (needs: HealthNeeds, health: Health, visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].watch
  const { ready, checkpoint, events } = health
  const held = needs.lastAudit()?.held
  const row = (name: string, at: string, behind: string) => [
    { head: name },
    { number: at },
    { number: behind },
  ]
  const rows = [
    row(texts.readModels, number(ready.position, visitor), number(ready.behind, visitor)),
    row(
      texts.checkpoint,
      checkpoint ? number(checkpoint.size, visitor) : '–',
      number(Math.max(0, events - (checkpoint?.size ?? 0)), visitor),
    ),
    row(
      texts.audit,
      held ? texts.atEvent({ position: number(held.position, visitor) }) : '–',
      held ? number(Math.max(0, ready.head - held.position), visitor) : '–',
    ),
  ]
  const heads = [texts.what, { number: texts.position }, { number: texts.behind }]
  return (
    <Card title={texts.lagOf}>
      <Table label={texts.lagOf} kind="grid" heads={heads} rows={rows} />
    </Card>
  )
}

const waitingHtml = (health: Health, visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].watch
  const { unfinished, due, later, rested } = health.callbacks
  const facts: readonly (readonly [name: string, count: number])[] = [
    [texts.callbacksUnfinished, unfinished],
    [texts.callbacksDue, due],
    [texts.callbacksLater, later],
    [texts.callbacksStuck, Math.max(0, unfinished - due - later)],
    [texts.callbacksRested, rested],
    [texts.pusher, health.listeners],
    [texts.reportsClosing, health.reportsClosing],
    [texts.settlementsUnfinished, health.settlementsUnfinished],
  ]
  return (
    <Card title={texts.waiting}>
      {factsHtml(facts.map(([name, count]) => [name, number(count, visitor)]))}
    </Card>
  )
}

const auditHtml = (needs: HealthNeeds, health: Health, visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].watch
  const last = needs.lastAudit()
  const { checkpoint } = health
  const verdict = () => {
    if (!last) return <Quiet text={texts.auditNever} />
    if (last.holds) return <Done text={texts.auditHolds} />
    const at = texts.atEvent({ position: last.problem?.position ?? '?' })
    return <Wrong text={texts.auditWrong({ where: at })} />
  }
  const facts = factsHtml([
    [texts.auditHeld, last?.held ? utcTime(last.held.at, visitor.locale) : '–'],
    [texts.checkpoint, checkpoint ? number(checkpoint.size, visitor) : texts.checkpointNone],
    [texts.signedAt, checkpoint ? utcTime(checkpoint.signedAt, visitor.locale) : '–'],
    [texts.cosigned, checkpoint ? number(checkpoint.cosigned, visitor) : '–'],
  ])
  return (
    <Card title={texts.audit}>
      {verdict()} {facts}
    </Card>
  )
}

const nodesHtml = ({ nodes }: Health, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].watch
  if (!nodes) return <Quiet text={texts.nodesNone} />
  const rows = nodes.map(({ name, isOwn, does, version }) => [
    {
      head: [<code>{name}</code>, ' ', isOwn && <span class="badge">{texts.nodeHere}</span>],
    },
    version,
    does.join(', '),
  ])
  return (
    <Table
      label={texts.nodes}
      kind="grid"
      heads={[texts.node, texts.version, texts.work]}
      rows={rows}
    />
  )
}

/** How the service is: the numbers of `/health/ready` and `/metrics`. */
export const healthPage = async (
  needs: HealthNeeds,
  visitor: OperatorVisitor,
): Promise<OperatorPage> => {
  const texts = textsIn[visitor.language].watch
  const health = await needs.health()
  return {
    title: texts.health,
    body: [
      <Title text={texts.health} />,
      <div class="columns">
        {readyHtml(needs, health, visitor)}
        {auditHtml(needs, health, visitor)}
        {lagHtml(needs, health, visitor)}
        {waitingHtml(health, visitor)}
      </div>,
      <Card title={texts.nodes}>{nodesHtml(health, visitor)}</Card>,
    ],
  }
}

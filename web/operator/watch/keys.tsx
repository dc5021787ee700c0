import {
  Actions,
  Card,
  Crumbs,
  Done,
  Hidden,
  Link,
  Table,
  type Row,
  type Html,
  Title,
} from '../../ui/components.tsx'
import { z } from 'zod'
import type { Context } from '../../../application/handle.ts'
import { operatorMayDo } from '../../../domain/people/operator-roles.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { codeField, plainForm, typed } from '../../ui/fields.tsx'
import { utcTime } from '../../ui/money.tsx'
import { type Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { codeProblem } from '../../staff/guard.tsx'
import { operatorPath } from '../areas.ts'
import {
  contextOfOperator,
  type OperatorPage,
  type OperatorPages,
  type OperatorVisitor,
} from '../pages.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

const kinds = ['callbacks', 'id-tokens', 'checkpoints'] as const

type Kind = (typeof kinds)[number]

type Key = {
  readonly id: string
  readonly from: number
  readonly until: number | null
  readonly state: 'signs' | 'comes' | 'published' | 'ended'
}

export type KeyNeeds = {
  readonly keys: () => Promise<
    Readonly<Record<Kind, readonly Key[]>> & { readonly vault: string | undefined }
  >
  readonly rotateKeys: (kind: Kind, context: Context) => Promise<void>
}

const colours = { signs: 'good', comes: 'warn', published: '', ended: '' } as const

/** The newest. */
const mostListed = 20

const rowHtml =
  ({ language, locale }: OperatorVisitor) =>
  ({ id, from, until, state }: Key): Row => [
    { head: <code>{id}</code> },
    <span class={`badge ${colours[state]}`}>{textsIn[language].watch[`state_${state}`]}</span>,
    from !== 0 && utcTime(from, locale),
    until !== null && utcTime(until, locale),
  ]

const kindHtml = (kind: Kind, keys: readonly Key[], visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].watch
  const title = texts[`key_${kind}`]
  const heads = [texts.id, texts.keyState, texts.keyIs, texts.keyUntil]
  const rows = keys.slice(0, mostListed).map(rowHtml(visitor))
  const rotate = (
    <p>
      <Link class="button second slim" href={operatorPath(`keys/${kind}`)} text={texts.rotate} />
    </p>
  )
  return (
    <Card title={title}>
      <Table label={title} kind="grid keys stacks" heads={heads} rows={rows} />
      {operatorMayDo(visitor.me.terms, 'rotate_keys') ? rotate : ''}
    </Card>
  )
}

const vaultHtml = (wrappedBy: string | undefined, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].watch
  const state = wrappedBy === undefined ? texts.clear : texts.wrapped({ key: wrappedBy })
  const how = <p class="quiet small">{texts.vaultHow}</p>
  return (
    <Card title={texts.vault}>
      <p>{state}</p>
      {how}
    </Card>
  )
}

const keysPage = async (
  needs: KeyNeeds,
  visitor: OperatorVisitor,
  call: Call,
): Promise<OperatorPage> => {
  const texts = textsIn[visitor.language].watch
  const { vault, ...keys } = await needs.keys()
  const isDone = searchOf(call).has('rotated')
  return {
    title: texts.keys,
    body: [
      <Title text={texts.keys} />,
      <Done text={isDone ? texts.rotated : undefined} />,
      kinds.map((kind) => kindHtml(kind, keys[kind], visitor)),
      vaultHtml(vault, visitor),
    ],
  }
}

const keyParams = z.object({ kind: z.enum(kinds) })

const rotatePage = (kind: Kind, visitor: OperatorVisitor, problem?: string): OperatorPage => {
  const texts = textsIn[visitor.language].watch
  return {
    title: texts.rotate,
    ...(problem !== undefined && { status: 400 }),
    body: [
      <Crumbs links={[[operatorPath('keys'), texts.keys]]} />,
      <form class="card narrow-card" method="post" action={operatorPath(`keys/${kind}`)}>
        <h1>{texts.rotateTitle({ key: texts[`key_${kind}`] })}</h1>
        <p>{texts[`rotateWhat_${kind}`]}</p>
        <Hidden fields={{ csrf: visitor.csrf }} />
        {codeField(visitor.texts, problem)}
        <Actions button={texts.rotate} />
      </form>,
    ],
  }
}

export const keyRoutes = (
  needs: KeyNeeds,
  visits: Visits,
  { page, form, confirm }: OperatorPages,
): Route[] => {
  const rotating = {
    action: 'rotate_keys',
    area: 'keys',
    path: '/operator/keys/:kind',
    params: keyParams,
  } as const
  return [
    page(
      {
        action: 'see_keys',
        area: 'keys',
        path: '/operator/keys',
        summary: 'Keys that sign, and what wraps the vault',
      },
      (visitor, call) => keysPage(needs, visitor, call),
    ),
    page(
      { ...rotating, summary: 'What a new key would change' },
      async (visitor, { params: { kind } }) => rotatePage(kind, visitor),
    ),
    form(
      {
        ...rotating,
        summary: 'Publish a new key',
        ownForm: plainForm.extend({ code: typed('A one-time code.') }),
      },
      async (visitor, call) => {
        const { kind } = call.params
        const problem = await codeProblem(confirm, visitor, call)
        if (problem !== undefined) return rotatePage(kind, visitor, problem)
        await needs.rotateKeys(kind, contextOfOperator(call, visitor))
        return visits.go(visitor, operatorPath('keys?rotated'))
      },
    ),
  ]
}

import { Actions, type Html } from '../../ui/components.tsx'
import { z } from 'zod'
import { nextTurn } from '../../../application/time-budget.ts'
import { isDotSegment } from '../../../domain/merchant/chosen-id.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { longestArgstring } from '../../../http/merchant/shortlink-code.ts'
import { anyText, hasProblems, type Problems, Field, Area } from '../../ui/fields.tsx'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { addressOfCode, pointsPath, type CodeData, type PointNeeds } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export type LabelNeeds = PointNeeds & {
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
}

const mostLabels = 120

export const labelQuery = z.object({
  tables: anyText('Numbers of tables, such as `7` or `1-12, 14`.'),
  word: anyText('Stands before each number.'),
  texts: anyText('Further labels, each on a line; each is an argstring.'),
})

type Typed = { readonly tables: string; readonly word: string; readonly texts: string }

const typedIn = (call: Call, texts: Catalogue['points']): Typed => {
  const search = searchOf(call)
  const field = (name: string) => search.get(name)?.trim()
  return {
    tables: field('tables') ?? '',
    // No word is a choice too, unlike no parameter.
    word: field('word') ?? (search.has('word') ? '' : texts.table),
    texts: field('texts') ?? '',
  }
}

/**
 * `1-3, 7` as 1, 2, 3, 7, each once; undefined where it says anything else. It stops soon after
 * there are more than may be printed.
 */
const tablesIn = (typed: string): readonly number[] | undefined => {
  const found = new Set<number>()
  const parts = typed.replaceAll(/\s*[-–]\s*/g, '-').split(/[\s,;]+/)
  for (const part of parts.filter((one) => one !== '')) {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? []
    if (from === undefined || Number(to) < Number(from)) return undefined
    for (let table = Number(from); table <= Number(to); table += 1) {
      if (found.size > mostLabels) return [...found]
      found.add(table)
    }
  }
  return [...found]
}

const linesIn = (typed: string): readonly string[] =>
  typed
    .split(/\r?\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')

type LabelsRead = { readonly labels: readonly string[]; readonly problems: Problems }

const readLabels = (typed: Typed, texts: Catalogue['points']): LabelsRead => {
  const wrong = (problems: Problems): LabelsRead => ({ labels: [], problems })
  const tables = tablesIn(typed.tables)
  if (tables === undefined) return wrong({ tables: texts.tablesWrong })
  const named = tables.map((table) => `${typed.word} ${table}`.trim())
  const labels = [...named, ...linesIn(typed.texts)]
  const tooMany = texts.labelsTooMany({ count: mostLabels })
  if (labels.length > mostLabels) return wrong({ tables: tooMany })
  if (named.some((text) => text.length > longestArgstring))
    return wrong({ word: texts.labelsWrong })
  if (labels.some((text) => text.length > longestArgstring))
    return wrong({ texts: texts.labelsWrong })
  if (labels.some(isDotSegment)) return wrong({ texts: texts.labelsLost })
  return { labels, problems: {} }
}

/** Which tables; leads to their labels, which are not printed before they were seen. */
export const labelForm = (
  { shop, language }: PortalVisitor,
  { id }: CodeData,
  { tables, word, texts: more }: Typed = {
    tables: '',
    texts: '',
    word: textsIn[language].points.table,
  },
  problems: Problems = {},
  button: 'second' | '' = '',
): Html => {
  const texts = textsIn[language].points
  const path = portalPath(shop.merchant, pointsPath(`/code/${id}/labels`))
  return (
    <form class="card screen" method="get" action={path}>
      <h2>{texts.labelsFor}</h2>
      <p>{texts.labelsWhat}</p>
      <div class="tables">
        <div>
          <Field
            name="tables"
            label={texts.whichTables}
            hint={texts.tablesHint}
            problem={problems['tables']}
            value={tables}
            maxlength={500}
            autocomplete="off"
          />
        </div>
        <div>
          <Field
            name="word"
            label={texts.word}
            problem={problems['word']}
            value={word}
            maxlength={90}
            autocomplete="off"
          />
        </div>
      </div>
      <details class="asked" open={more !== ''}>
        <summary>{texts.otherLabels}</summary>
        <Area
          name="texts"
          label={texts.labels}
          hint={texts.labelsHint}
          problem={problems['texts']}
          rows={4}
          text={more}
        />
      </details>
      <Actions kind={button} button={texts.showLabels} />
    </form>
  )
}

const labelHtml = async (
  needs: LabelNeeds,
  { shop }: PortalVisitor,
  { id }: CodeData,
  text: string,
): Promise<Html> => {
  const address = addressOfCode(needs, id, text)
  return (
    <li>
      <img src={await needs.qrImage.dataUrl(address)} alt={address} />{' '}
      <span>
        <b>{text}</b>
        <small>{shop.name}</small>
      </span>
    </li>
  )
}

/** What was asked for, to be looked at and printed. */
export const labelsPage = async (
  needs: LabelNeeds,
  visitor: PortalVisitor,
  code: CodeData,
  { call, back, toPrint }: { call: Call; back: Html; toPrint: (hint: string) => Html },
): Promise<PortalPage> => {
  const texts = textsIn[visitor.language].points
  const typed = typedIn(call, texts)
  const search = searchOf(call)
  const isAsked = search.has('tables') || search.has('texts')
  const { labels, problems: wrong } = readLabels(typed, texts)
  const isNone = isAsked && labels.length === 0 && !hasProblems(wrong)
  const problems = isNone ? { tables: texts.tablesNone } : wrong
  const drawn = []
  for (const text of labels) {
    drawn.push(await labelHtml(needs, visitor, code, text))
    // Drawing a code takes most of a millisecond.
    await nextTurn()
  }
  return {
    title: texts.labels,
    status: hasProblems(problems) ? 400 : 200,
    body: [
      back,
      <h1 class="screen">{texts.labels}</h1>,
      <div class="narrow-card screen">
        {labelForm(visitor, code, typed, problems, drawn.length === 0 ? '' : 'second')}
      </div>,
      drawn.length > 0 && [
        <h2 class="screen">{texts.labelsAre({ count: drawn.length })}</h2>,
        toPrint(texts.labelsPrint),
        <ol class="labels">{drawn}</ol>,
      ],
    ],
  }
}

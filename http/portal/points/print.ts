import { html } from 'hono/html'
import { z } from 'zod'
import { nextTurn } from '../../../application/next-turn.ts'
import { searchOf, type Call } from '../../call.ts'
import { longestArgstring } from '../../merchant/shortlink-code.ts'
import type { Html } from '../../payer/page.ts'
import { filledText } from '../../payer/words.ts'
import type { Route } from '../../route.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import type { PortalPages } from '../pages.ts'
import { codeParams } from './code-changes.ts'
import type { CodeNeeds } from './code.ts'
import { addressOfCode, codeOf, pointsPath, type CodeData } from './rows.ts'
import { pointTexts, type PointTexts } from './texts.ts'

const mostLabels = 120

type Params = { readonly shortlink_id: string }

const toPrint = (texts: PointTexts, hint: string): Html =>
  html`<p class="quiet screen">${hint}</p>
    <p class="screen" data-scripted hidden>
      <button type="button" data-print>${texts.print}</button>
    </p>`

const backTo = (visitor: PortalVisitor, { id, description }: CodeData): Html =>
  html`<a class="back screen" href="${portalPath(visitor.shop.merchant, pointsPath(`/code/${id}`))}"
    >${description ?? id}</a
  >`

const posterPage = async (
  needs: CodeNeeds,
  visitor: PortalVisitor,
  call: Call<Params>,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const texts = pointTexts[visitor.language]
  const code = codeOf(needs, visitor, call.params.shortlink_id)
  const address = addressOfCode(needs, code.id)
  return {
    title: texts.poster,
    body: html`${backTo(visitor, code)} ${toPrint(texts, texts.posterPrint)}
      <article class="poster">
        <h1>${visitor.shop.name}</h1>
        <p class="call">${texts.scanToPay}</p>
        <img src="${await needs.qrImage.dataUrl(address)}" alt="${address}" />
        ${code.description === null ? '' : html`<p class="where">${code.description}</p>`}
        <p class="small">${address}</p>
      </article>`,
  }
}

/** One on a line. */
const textsIn = (typed: string): readonly string[] =>
  typed
    .split(/\r?\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')

const labelHtml = async (
  needs: CodeNeeds,
  { shop }: PortalVisitor,
  { id }: CodeData,
  text: string,
): Promise<Html> => {
  const address = addressOfCode(needs, id, text)
  return html`<li>
    <img src="${await needs.qrImage.dataUrl(address)}" alt="${address}" />
    <span
      ><b>${text === '' ? shop.name : text}</b
      >${text === '' ? '' : html`<small>${shop.name}</small>`}</span
    >
  </li>`
}

const labelsPage = async (
  needs: CodeNeeds,
  visitor: PortalVisitor,
  call: Call<Params>,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const texts = pointTexts[visitor.language]
  const code = codeOf(needs, visitor, call.params.shortlink_id)
  const typed = searchOf(call).get('texts')
  const asked = textsIn(typed ?? '')
  const isTooLong = asked.some((text) => text.length > longestArgstring)
  const problem =
    asked.length > mostLabels
      ? filledText(texts.labelsTooMany, mostLabels)
      : isTooLong
        ? texts.labelsWrong
        : undefined
  const path = portalPath(visitor.shop.merchant, pointsPath(`/code/${code.id}/labels`))
  const labels = []
  if (problem === undefined)
    for (const text of asked) {
      labels.push(await labelHtml(needs, visitor, code, text))
      // Drawing a code takes most of a millisecond.
      await nextTurn()
    }
  return {
    title: texts.labels,
    status: problem === undefined ? 200 : 400,
    body: html`${backTo(visitor, code)}
      <form class="card narrow-card screen" method="get" action="${path}">
        <h1>${texts.labels}</h1>
        ${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
        <label for="texts">${texts.labelsTexts}</label>
        <textarea id="texts" name="texts" rows="8" aria-describedby="texts-hint">
${typed ?? texts.tableExample}</textarea>
        <p id="texts-hint" class="quiet small">${texts.labelsHint}</p>
        <div class="actions"><button>${texts.showLabels}</button></div>
      </form>
      ${
        labels.length === 0
          ? ''
          : html`${toPrint(texts, texts.labelsPrint)}
              <ol class="labels">
                ${labels}
              </ol>`
      }`,
  }
}

const place = { params: codeParams, action: 'see_points_of_sale', area: 'pointsOfSale' } as const

/** What is printed of a code: a poster, and a sheet of labels that each tell where they hang. */
export const printRoutes = (needs: CodeNeeds, { page }: PortalPages): Route[] => [
  page(
    {
      ...place,
      path: '/portal/:merchant/points-of-sale/code/:shortlink_id/poster',
      summary: 'A poster of a code, to be printed on A5',
    },
    (visitor, call) => posterPage(needs, visitor, call),
  ),
  page(
    {
      ...place,
      path: '/portal/:merchant/points-of-sale/code/:shortlink_id/labels',
      summary: 'Labels of a code, to be printed on A4',
      ownQuery: z.object({
        texts: z
          .string()
          .optional()
          .meta({ description: 'The texts of the labels, each on a line; each is an argstring.' }),
      }),
    },
    (visitor, call) => labelsPage(needs, visitor, call),
  ),
]

import { z } from 'zod'
import type { LogTree } from '../application/log-tree.ts'
import type { CheckpointRow } from '../projections/checkpoints.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { formatProof, tileOfPath, widthOfTile } from '../domain/transparency/merkle-tree.ts'
import { assetRoute, type AssetNeeds } from './assets.ts'
import { RequestError } from './errors.ts'
import { type Route, routesOf } from './route.ts'

type TransparencyNeeds = AssetNeeds & {
  readonly tree: LogTree
  readonly checkpoints: { readonly newest: () => CheckpointRow | undefined }
  /** As verifiers of signed notes take them, the newest first. */
  readonly verifierKeys: () => Promise<readonly VerifierKey[]>
}

type VerifierKey = {
  readonly text: string
  readonly from: Instant
  /** Null while no other one follows. */
  readonly until: Instant | null
}

const group = 'Transparency'

const { get } = routesOf({ access: 'OPEN', group })

const text = 'text/plain; charset=utf-8'

/** Checkpoints are signed every ten seconds. */
const forSeconds = { 'Cache-Control': 'public, max-age=5' }

/** A tile of a width never changes. */
const forLong = { 'Cache-Control': 'public, max-age=31536000, immutable' }

export const leaves = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/, 'Must be a whole number.')
  .transform(Number)

export const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64')

const newestOf = ({ checkpoints }: TransparencyNeeds): CheckpointRow =>
  checkpoints.newest() ?? refuse('resource_is_unknown')

export const outOfRange = (size: number): never => {
  throw new RequestError(400, `The newest checkpoint covers ${size} entries: ask for no more.`)
}

const timeOf = (at: Instant): string => new Date(at).toISOString().replace(/\.\d+/, '')

const keyLine = ({ text, from, until }: VerifierKey): string =>
  `${text} from ${timeOf(from)}${until === null ? '' : ` until ${timeOf(until)}`}\n`

const checkpointRoutes = (needs: TransparencyNeeds): Route[] => [
  get('/transparency/checkpoint', {
    summary: 'The newest checkpoint of the log',
    description: 'A signed note (c2sp.org/tlog-checkpoint): origin, number of entries and root.',
    success: 'raw',
    replyTypes: ['text/plain'],
    handle: () => ({ type: text, body: newestOf(needs).note, headers: forSeconds }),
  }),
  get('/transparency/key', {
    summary: 'The keys that sign checkpoints, and those that did',
    description:
      'The newest first, each on a line: the key as verifiers of signed notes take it (name, key ' +
      'id and key), since when it signs, and until when where another one follows. While two ' +
      'hold, a checkpoint carries the signatures of both.',
    success: 'raw',
    replyTypes: ['text/plain'],
    handle: async () => ({
      type: text,
      body: (await needs.verifierKeys()).map(keyLine).join(''),
      headers: forSeconds,
    }),
  }),
]

const tileRoute = (needs: TransparencyNeeds): Route =>
  get('/transparency/tile/:tile{.+}', {
    summary: 'A tile of hashes of the Merkle tree',
    description:
      'As c2sp.org/tlog-tiles describes them, as far as the newest checkpoint goes. Tiles of ' +
      'entries are not published: a proof comes with its entries.',
    params: z.object({ tile: z.string().max(64) }),
    success: 'raw',
    replyTypes: ['application/octet-stream'],
    handle: ({ params }) => {
      const tile = tileOfPath(params.tile)
      if (!tile || tile.level === 'entries') return refuse('resource_is_unknown')
      const { level, index, width } = tile
      if (width > widthOfTile(tile, newestOf(needs).size)) return refuse('resource_is_unknown')
      const hashes = needs.tree.hashesOf(level, index).slice(0, width)
      const body = new Uint8Array(Buffer.concat(hashes))
      return { type: 'application/octet-stream', body, headers: forLong }
    },
  })

export const consistencyReply = z
  .object({
    old_size: z.int(),
    size: z.int(),
    hashes: z.array(z.string()).meta({ description: 'Base64, as RFC 6962, 2.1.2.' }),
  })
  .meta({ id: 'ConsistencyProof' })

const proofRoutes = (needs: TransparencyNeeds): Route[] => [
  get('/transparency/proof/inclusion', {
    summary: 'That an entry stands in the log',
    description: 'A `tlog-proof` (c2sp.org/tlog-proof) that leads to the newest checkpoint.',
    query: z.object({ index: leaves.meta({ description: 'Number of the entry, from 0.' }) }),
    success: 'raw',
    replyTypes: ['text/plain'],
    handle: ({ query: { index } }) => {
      const { size, note } = newestOf(needs)
      if (index >= size) return outOfRange(size)
      const hashes = needs.tree.inclusionProof(index, size)
      const body = formatProof({ index, hashes, checkpoint: note })
      return { type: text, body, headers: forSeconds }
    },
  }),
  get('/transparency/proof/consistency', {
    summary: 'That one checkpoint continues another',
    query: z.object({
      from: leaves.meta({ description: 'Number of entries of the earlier checkpoint.' }),
      to: leaves.optional().meta({ description: 'Of the later one; by default the newest.' }),
    }),
    reply: consistencyReply,
    handle: ({ query: { from, to } }) => {
      const newest = newestOf(needs).size
      const size = to ?? newest
      if (from > size || size > newest) return outOfRange(newest)
      const hashes = needs.tree.consistencyProof(from, size).map(base64)
      return { old_size: from, size, hashes }
    },
  }),
]

const verifierRoute = ({ readAsset }: TransparencyNeeds): Route =>
  assetRoute({
    path: '/transparency/verify.mjs',
    type: 'text/javascript',
    group,
    summary: 'The program that checks receipts',
    body: () => readAsset('verifier/verify.mjs'),
  })

/** What proves to strangers that the log is only ever added to. */
export const transparencyRoutes = (needs: TransparencyNeeds): Route[] => [
  ...checkpointRoutes(needs),
  tileRoute(needs),
  ...proofRoutes(needs),
  verifierRoute(needs),
]

import { z } from 'zod'

const text = z.string()
const whole = z.int()

/** What one line of the service's log holds; `docs/log-lines.md` shows this table. */
export const logLine = z.strictObject({
  level: whole.describe('How serious it is.'),
  time: text.describe('When, by the machine’s clock: ISO 8601, in UTC.'),
  msg: text.describe('What happened; for the operator, what to do.'),
  error: z
    .looseObject({ type: text, message: text, stack: text })
    .optional()
    .describe('A failure: `type`, `message`, `stack`, and `code` where the system gives one.'),
  reason: text
    .optional()
    .describe('Why a request was refused, or a thread or snapshot is not there.'),
  requestId: text.optional().describe('The request: its `X-Request-Id`.'),
  traceId: text.optional().describe('The trace that the request belongs to (W3C Trace Context).'),
  method: text.optional().describe('Its method.'),
  path: text.optional().describe('Its route, without what the caller put into it.'),
  status: whole
    .nullable()
    .optional()
    .describe('The status that was answered, or null without one.'),
  milliseconds: z.number().optional().describe('How long the answer took.'),
  merchant: text
    .nullable()
    .optional()
    .describe('The merchant it is about, or that a request claims.'),
  user: text.optional().describe('The user that a request claims.'),
  integrator: text.optional().describe('The integrator that a request claims.'),
  client: text.optional().describe('The application of a payer’s request.'),
  address: text
    .optional()
    .describe('Where the service listens, or where a refused request came from.'),
  peer: text.optional().describe('Address of a proxy that is not trusted.'),
  callback: text.optional().describe('Id of a callback that did not arrive.'),
  event: text.optional().describe('What it tells.'),
  host: text.optional().describe('Host and port of its receiver.'),
  result: text.optional().describe('What came of the attempt.'),
  problem: z
    .union([text, z.looseObject({ text })])
    .nullable()
    .optional()
    .describe('What was wrong with the receiver’s answer, or what an audit found.'),
  destination: text.optional().describe('Address of callbacks that rests.'),
  since: text.optional().describe('Since when it has failed.'),
  position: whole.optional().describe('Position in the log.'),
  events: whole.optional().describe('Number of events.'),
  foldedTo: z.unknown().optional().describe('What the read models had folded last.'),
  head: whole.optional().describe('Position of the newest event.'),
  bytes: whole.optional().describe('Size of a snapshot.'),
  seconds: z.number().optional().describe('How long it took, or how far a clock was set back.'),
  from: text.optional().describe('Node that a snapshot comes from.'),
  failures: whole.optional().describe('Failed uses in an outage that has ended.'),
  work: z.array(text).optional().describe('Shared work that this node does.'),
  nodes: whole.optional().describe('Nodes that share the log.'),
  limit: text.optional().describe('What a limit of text messages is of.'),
  MESSAGES_PER_HOUR: whole.optional().describe('The setting of that limit.'),
  to: text.optional().describe('In the sandbox alone: whom a message is for.'),
  text: text.optional().describe('In the sandbox alone: the message.'),
  message: text.optional().describe('Id of a text message that did not arrive.'),
  witness: text.optional().describe('Name of a witness.'),
  folder: text.optional().describe('Folder that lacks a key.'),
  pid: whole.optional().describe('A process that ended.'),
  code: whole.nullable().optional().describe('Its exit code.'),
  againInMs: whole.optional().describe('When it is started again.'),
  wrappedBy: text.optional().describe('Key that the vault is wrapped with.'),
  version: text.optional().describe('At the start: the version.'),
  node: text.optional().describe('The version of Node.'),
  mode: text.optional().describe('The mode.'),
  log: text.optional().describe('Place of the log of events.'),
  vault: text.optional().describe('Place of the vault.'),
  blobs: text.optional().describe('Place of the blobs.'),
  metrics: text.optional().describe('Where metrics are.'),
  publicUrl: text.optional().describe('The setting PUBLIC_URL.'),
})

/** Each field, with what it means. */
export const logFields = (): readonly (readonly [name: string, meaning: string])[] =>
  Object.entries(logLine.shape).map(([name, field]) => [name, field.description ?? ''])

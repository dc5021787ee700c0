import type { Audit } from './verify-log.ts'
import type { Check, Problem } from './problems.ts'

const number = (count: number): string => count.toLocaleString('en-GB')
const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** The result of a check in one line. */
const lineOf = (check: Check, audit: Audit): string => {
  const { events, since, checkpoints, hasKeys, rowsCompared, documents } = audit
  switch (check) {
    case 'log':
      return (
        `${counted(events, 'event')}: none is missing, out of order or changed, ` +
        'and all can be read'
      )
    case 'tree':
      return checkpoints === 0
        ? 'no checkpoint was signed yet'
        : `${counted(checkpoints, 'checkpoint')}: each stands for exactly the events before it` +
            (hasKeys ? ', and the right key has signed it' : '')
    case 'rules':
      return (
        `each event${since === 0 ? '' : ` after the first ${number(since)}`} ` +
        'is what the rules gave at its moment: ' +
        'amounts, fees of the day, times of expiry'
      )
    case 'books':
      return (
        'each report and settlement adds up from its lines, no line is in two, ' +
        'the journal balances'
      )
    case 'callbacks':
      return 'each attempt at a callback is about an event of this log'
    case 'read models':
      return rowsCompared === null
        ? 'no read models of this version are here to compare with the log'
        : `${counted(rowsCompared, 'row')} of the read models: each is what the log gives`
    case 'documents':
      if (documents === 0) return 'no report or settlement was made again'
      return (
        `${counted(documents, 'report and settlement', 'reports and settlements')}: ` +
        'made again, their transaction logs have the same bytes'
      )
  }
}

const wrong: Readonly<Record<Check, string>> = {
  log: 'events are missing, out of order or changed, or cannot be read',
  tree: 'the log is not what a checkpoint stands for, or a checkpoint is not signed rightly',
  rules: 'an event is not what the rules gave at its moment',
  books: 'a report, a settlement or the journal does not add up',
  callbacks: 'an attempt at a callback is not about an event that tells it',
  'read models': 'the read models are not what the log gives',
  documents: 'the transaction logs of a report or a settlement are not those of its lines',
}

/** Said of a check that found nothing wrong in a log that cannot be followed to its end. */
const partly: Readonly<Partial<Record<Check, string>>> = {
  rules: 'not every event was decided again: some events are missing or cannot be read',
  books: 'not every sum was added up: some events are missing or cannot be read',
  callbacks: 'not every attempt at a callback was checked: some events are missing or unreadable',
}

const isUnchecked = (check: Check, { rowsCompared, checkpoints, documents }: Audit): boolean =>
  (check === 'read models' && rowsCompared === null) ||
  (check === 'tree' && checkpoints === 0) ||
  (check === 'documents' && documents === 0)

const placeOf = ({ position, stream, revision, type, at, actor }: Problem): string => {
  const about = [
    ...(type === undefined ? [] : [type]),
    ...(stream === undefined ? [] : [`revision ${revision} of ${stream}`]),
    ...(at === undefined ? [] : [`recorded at ${at}${actor === undefined ? '' : ` by ${actor}`}`]),
  ]
  return about.length === 0 ? `event ${position}` : `event ${position} (${about.join(', ')})`
}

export const sentenceOf = (problem: Problem): string =>
  problem.position === null ? problem.problem : `${placeOf(problem)}: ${problem.problem}`

const failure = ({ problems, problemCount }: Audit): readonly string[] => {
  const [first, ...others] = problems
  if (!first) return []
  const named =
    first.position === null
      ? [`What is wrong: ${first.problem}.`]
      : [`The first event that is wrong is ${placeOf(first)}:`, `${first.problem}.`]
  const isAlone = others.every(({ position }) => position !== null)
  const before =
    first.position !== null && first.position > 1 && isAlone
      ? ['', `Nothing is wrong with the events before it.`]
      : []
  const more = others.slice(0, 9).map((problem) => `  ${sentenceOf(problem)}`)
  const rest = problemCount - 1
  const also =
    rest > 0 ? ['', `${counted(rest, 'more thing')} ${rest === 1 ? 'is' : 'are'} wrong:`] : []
  return [...named, ...before, ...also, ...more, ...(rest > more.length ? ['  …'] : [])]
}

/** The verdict in words, for non-programmers. */
export const verdictText = (audit: Audit, checks: readonly Check[]): string => {
  const failed = new Set(audit.problems.map(({ check }) => check))
  const lines = checks.map((check) => {
    if (failed.has(check)) return `  WRONG  ${wrong[check]}`
    const ofPart = failed.has('log') ? partly[check] : undefined
    if (ofPart !== undefined) return `  -      ${ofPart}`
    return `  ${isUnchecked(check, audit) ? '-    ' : 'right'}  ${lineOf(check, audit)}`
  })
  const kept =
    audit.kept > 0
      ? []
      : [
          '',
          'Only a checkpoint that somebody has kept shows that the end was not cut off, and that',
          'the operator has not made all of it anew. Give it with --checkpoint.',
        ]
  const keys =
    audit.checkpoints > 0 && !audit.hasKeys
      ? [
          '',
          'Who signed the checkpoints was not checked: there is no key here. Give it with --key.',
        ]
      : []
  const root = `The root of the tree of all ${counted(audit.events, 'event')} is ${audit.root}`
  const verdict = audit.holds ? 'This log holds: nothing is wrong.' : 'This log does not hold.'
  const problems = audit.holds ? [] : ['', ...failure(audit)]
  return [verdict, ...problems, '', ...lines, ...keys, ...kept, '', root].join('\n')
}

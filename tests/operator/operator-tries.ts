import type { OperatorAction } from '../../domain/people/operator-roles.ts'

export type OperatorTry = {
  readonly method: 'GET' | 'POST'
  /** After `/operator/`. */
  readonly path: string
  readonly action: OperatorAction
  readonly form?: Readonly<Record<string, string>>
  /** What it would show is not there, so that it is a 404 for whoever may look. */
  readonly isEmpty?: true
}

const look = (path: string, action: OperatorAction): OperatorTry => ({
  method: 'GET',
  path,
  action,
})

/** Every address of the operator's pages. The forms change nothing when sent. */
export const operatorTries: readonly OperatorTry[] = [look('', 'see_overview')]

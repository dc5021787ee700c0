import { setTimeout as pause } from 'node:timers/promises'
import type { Node } from './cluster.ts'
import type { Fault } from './history.ts'
import type { Random } from './random.ts'

const frozenForMs = 15_000

/** Disturbs one node at a time until stopped; then all nodes are up. */
export const makeTrouble = (nodes: readonly Node[], random: Random) => {
  const faults: Fault[] = []
  let isOver = false
  const kinds = ['kill', 'freeze', 'end'] as const
  let round = Math.floor(random.next() * kinds.length)

  const suffer = async (node: Node, kind: Fault['kind']): Promise<void> => {
    const at = Date.now()
    if (kind === 'freeze') {
      node.signal('SIGSTOP')
      await pause(frozenForMs)
      node.signal('SIGCONT')
    } else {
      await node.stop(kind === 'kill' ? 'SIGKILL' : 'SIGTERM')
      await pause(random.between(500, 4_000))
      await node.start()
    }
    faults.push({ kind, node: node.address, at, until: Date.now() })
  }

  const trouble = async (): Promise<void> => {
    while (!isOver) {
      await pause(random.between(1_000, 4_000))
      if (!isOver) await suffer(random.oneOf(nodes), kinds[round++ % kinds.length]!)
    }
  }

  const cutting = async (): Promise<void> => {
    while (!isOver) {
      await pause(random.between(200, 1_500))
      await random.oneOf(nodes).cut()
    }
  }

  const both = Promise.all([trouble(), cutting()])
  return {
    end: async (): Promise<readonly Fault[]> => {
      isOver = true
      await both
      return faults
    },
  }
}

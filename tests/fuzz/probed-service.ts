import { openProbe, type Memory } from '../../bench/probe.ts'
import { startServer } from '../../bench/processes.ts'

const program = '../dist/service/main.js'

/** The built service in a separate process, with a probe in the thread that answers. */
export const startProbedService = async (environment: Readonly<Record<string, string>>) => {
  const { nodeOptions, onMessage, ask } = openProbe()
  const settings = { ...environment, NODE_OPTIONS: nodeOptions }
  const { address, send, stop } = await startServer(program, ['serve'], settings, onMessage)
  return {
    address: `http://${address.host}:${address.port}`,
    stop,
    /** Resets the probe, runs the work, and returns the longest block in ms. */
    heldBy: async (work: () => Promise<unknown>): Promise<number> => {
      await ask(send, 'reset')
      await work()
      return (await ask(send, 'longest')).longest ?? NaN
    },
    /** After a garbage collection. */
    memory: async (): Promise<Memory> => {
      const { memory } = await ask(send, 'collect')
      if (!memory) throw new Error('the probe has not answered')
      return memory
    },
  }
}

#!/usr/bin/env node
import cluster from 'node:cluster'

// Enables source maps for everything loaded from here on, so that stack traces name the sources.
process.setSourceMapsEnabled(true)
// Files contain payment data and keys, so only their owner may read them.
process.umask(0o077)

const words = process.argv.slice(2)
const isService = words.every((word) => word === 'serve') && words.length < 2

if (cluster.isWorker) {
  const { serveSupervised } = await import('./processes/supervised.ts')
  await serveSupervised(process.env)
} else if (isService) {
  const { serveInWorker } = await import('./server/serving-client.ts')
  serveInWorker(process.env)
} else {
  const { runCommand } = await import('../cli/run-command.ts')
  await runCommand(process.env)
}

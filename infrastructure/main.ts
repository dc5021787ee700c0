#!/usr/bin/env node
import cluster from 'node:cluster'

// A stack trace names the sources: what is loaded from here on is loaded with its source map.
process.setSourceMapsEnabled(true)
// What is written here says who paid whom, and with what keys: files are for their owner alone.
process.umask(0o077)

const words = process.argv.slice(2)
const isService = words.every((word) => word === 'serve') && words.length < 2

if (cluster.isWorker) {
  const { serveSupervised } = await import('./processes/supervised.ts')
  await serveSupervised(process.env)
} else if (isService) {
  const { serveInWorker } = await import('./serving-client.ts')
  serveInWorker(process.env)
} else {
  const { runCommand } = await import('./operator/run-command.ts')
  await runCommand(process.env)
}

#!/usr/bin/env node
// Plain JavaScript, so that an older Node gets this far.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findBundle } from '../src/core/bundle/server-bundle.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const sources = join(root, 'src', 'main.ts')
// The set-up links the Node that it fetched here.
const fetched = join(root, 'node_modules', '.bin', 'node')

if (Number(process.versions.node.split('.')[0]) >= 24) {
  const { folder } = findBundle(root)
  if (folder === undefined) await keepCompiledSources()
  await import(pathToFileURL(folder === undefined ? sources : join(folder, 'main.js')).href)
} else if (existsSync(fetched)) {
  const child = spawn(fetched, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  // A terminal sends SIGINT to the child itself.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} else {
  process.stderr.write(
    `Terrane needs Node 24 or later; this is Node ${process.versions.node}. "npm run setup" fetches it.\n`,
  )
  process.exitCode = 1
}

/**
 * Makes Node keep the compiled form of each source. Called before the first TypeScript file is read: to start the
 * part of Node that strips types takes longer than most commands.
 */
async function keepCompiledSources() {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(join(root, 'node_modules', '.cache', 'node'))
}
